/* Hot keys in /status.json. */
#include "admin/status.h"
#include "proxy/hotkeys.h"

void
status_put_hot_keys(struct json_doc *doc, const struct admin_view *view)
{
	json_t *keys = json_doc_array(doc, doc->root, "hot_keys"), *object;
	struct hotkey found[HOTKEYS_SHOWN];
	char text[HOTKEYS_TEXT_SIZE];
	size_t n = hotkeys_read(view->proxy->hotkeys, view->now_ms, found);

	for (size_t i = 0; i < n; i++) {
		hotkeys_show(&found[i], text);
		object = json_doc_append(doc, keys);
		json_doc_text(doc, object, "key", text);
		json_doc_number(doc, object, "share", found[i].share);
		json_doc_bool(doc, object, "is_hidden",
		    found[i].key_len == 0);
	}
}

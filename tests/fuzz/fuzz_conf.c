/*
 * The configuration: any bytes of a file.
 *
 * A file is refused with at least one complaint, or it is taken; then what is
 * printed of it, with every default filled in, means the same again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "conf/conf.h"

/* What conf_print() writes; malloc'd. */
static char *
print(const struct conf *conf)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	MUST(out != NULL);
	conf_print(conf, out);
	MUST(fclose(out) == 0);
	return text;
}

static void
check_taken(const struct conf *conf)
{
	struct conf_errors *errors;
	char *text = print(conf), *again;
	struct conf *other = conf_parse("f", text, strlen(text), &errors);

	if (other == NULL)
		fprintf(stderr, "%s\n%s", conf_errors_line(errors, 0), text);
	MUST(other != NULL);
	again = print(other);
	MUST(strcmp(text, again) == 0);
	conf_free(&other);
	free(text);
	free(again);
}

static void
check_refused(const struct conf_errors *errors)
{
	size_t n = conf_errors_count(errors);

	MUST(n > 0);
	for (size_t i = 0; i < n; i++) {
		const char *line = conf_errors_line(errors, i);

		/* There is a most; the last line then says how many more. */
		MUST(strncmp(line, "f:", 2) == 0 ||
		    (i == n - 1 && strncmp(line, "and ", 4) == 0));
		MUST(strchr(line, '\n') == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_errors *errors;
	struct conf *conf = conf_parse("f", (const char *)data, size, &errors);

	if (conf == NULL) {
		check_refused(errors);
		conf_errors_free(&errors);
		return 0;
	}
	MUST(errors == NULL);
	check_taken(conf);
	conf_free(&conf);
	return 0;
}

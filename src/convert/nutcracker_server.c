/* Taking "host:port:weight name" apart. */
#include "convert/nutcracker_server.h"

/* Cuts what comes after the last `c` off `rest`; false if there is none. */
static bool
cut_last(struct span *rest, char c, struct span *part_r)
{
	for (size_t i = rest->len; i-- > 0;) {
		if (rest->p[i] != c)
			continue;
		*part_r = span_of(rest->p + i + 1, rest->len - i - 1);
		rest->len = i;
		return true;
	}
	return false;
}

bool
nutcracker_server_parse(struct span text, struct nutcracker_server *server_r)
{
	struct nutcracker_server server = {
		.is_unix = text.len > 0 && text.p[0] == '/',
	};
	bool has_name = cut_last(&text, ' ', &server.name);

	if (has_name && server.name.len == 0)
		return false;
	if (!cut_last(&text, ':', &server.weight))
		return false;
	if (!server.is_unix && !cut_last(&text, ':', &server.port))
		return false;
	server.host = text;
	*server_r = server;
	return server.host.len > 0 && server.weight.len > 0;
}

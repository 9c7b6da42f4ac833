/* What the offline commands have in common. */
#include "cli/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "cli/cli.h"

int
session_open(struct session *session, const char *path)
{
	int status = EX_OK;

	*session = (struct session){.registry = server_registry_new()};
	if (session->registry == NULL)
		return session_no_memory();
	session->table = cli_load(path, session->registry, &status);
	return status;
}

void
session_close(struct session *session)
{
	table_unref(&session->table);
	if (session->registry != NULL)
		server_registry_free(&session->registry);
}

static struct span
trim(const char *line, size_t len)
{
	if (len > 0 && line[len - 1] == '\n')
		len--;
	/* No key ends in CR: on the wire it would belong to the line's end. */
	if (len > 0 && line[len - 1] == '\r')
		len--;
	return span_of(line, len);
}

int
session_each_line(FILE *in, const char *name,
    bool (*use)(void *arg, struct span line), void *arg)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int error = 0;

	while ((len = getline(&line, &size, in)) != -1) {
		struct span text = trim(line, (size_t)len);

		if (text.len > 0 && !use(arg, text))
			break;
	}
	if (len == -1 && !feof(in))
		error = errno;
	free(line);
	if (error == 0)
		return EX_OK;
	fprintf(stderr, "fairlead: %s: %s\n", name, strerror(error));
	return error == ENOMEM ? EX_OSERR : EX_NOINPUT;
}

int
session_flush(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "fairlead: standard output: %s\n", strerror(errno));
	return EX_IOERR;
}

int
session_other_option(int c, const char *usage)
{
	bool is_asked = c == 'h';

	fputs(usage, is_asked ? stdout : stderr);
	return is_asked ? EX_OK : EX_USAGE;
}

void
session_complain(struct conf_errors **errors)
{
	size_t n = conf_errors_count(*errors);

	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%s\n", conf_errors_line(*errors, i));
	conf_errors_free(errors);
}

int
session_no_memory(void)
{
	fprintf(stderr, "fairlead: out of memory\n");
	return EX_OSERR;
}

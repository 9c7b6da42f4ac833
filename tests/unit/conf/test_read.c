/* Configuration files as files. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

/* A directory that lives for one test. */
static void
enter_new_directory(void)
{
	char path[] = "/tmp/fairlead-test-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(chdir(path), 0);
}

static void
leave_directory(void)
{
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(getcwd(path, sizeof(path)));
	unlink("file");
	unlink("link");
	unlink("other");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(path), 0);
}

static void
write_file(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	ck_assert_int_eq(fclose(out), 0);
}

#define SMALL(port)                                                            \
	"listeners: [{listen: 127.0.0.1:" port "}]\n"                          \
	"pools: {m: {servers: [a:1]}}\n"

START_TEST(a_file_is_loaded_as_its_bytes_are)
{
	struct conf_errors *errors;
	struct conf *conf;

	enter_new_directory();
	write_file("file", SMALL("5"));
	conf = conf_load("file", &errors);
	ck_assert_ptr_nonnull(conf);
	ck_assert_ptr_null(errors);
	ck_assert_str_eq(conf->path, "file");
	conf_free(&conf);
	write_file("file", "listeners: 5\n");
	ck_assert_ptr_null(conf_load("file", &errors));
	ck_assert_str_eq(conf_errors_line(errors, 0),
	    "file:1:1: \"pools\" is missing");
	ck_assert(!conf_errors_is_unreadable(errors));
	conf_errors_free(&errors);
	leave_directory();
}
END_TEST

START_TEST(a_link_that_was_switched_shows_its_new_target)
{
	struct conf_errors *errors;
	struct conf *conf;

	enter_new_directory();
	write_file("file", SMALL("5"));
	write_file("other", SMALL("6"));
	ck_assert_int_eq(symlink("file", "link"), 0);
	conf = conf_load("link", &errors);
	ck_assert_uint_eq(conf->listeners[0].endpoint.port, 5);
	conf_free(&conf);
	ck_assert_int_eq(unlink("link"), 0);
	ck_assert_int_eq(symlink("other", "link"), 0);
	conf = conf_load("link", &errors);
	ck_assert_uint_eq(conf->listeners[0].endpoint.port, 6);
	conf_free(&conf);
	leave_directory();
}
END_TEST

/* Fails the test unless `path` cannot be read, with `line`. */
static void
expect_unreadable(const char *path, const char *line)
{
	struct conf_errors *errors;

	ck_assert_ptr_null(conf_load(path, &errors));
	ck_assert_uint_eq(conf_errors_count(errors), 1);
	ck_assert_str_eq(conf_errors_line(errors, 0), line);
	ck_assert(conf_errors_is_unreadable(errors));
	conf_errors_free(&errors);
}

START_TEST(a_file_that_cannot_be_read_says_why)
{
	enter_new_directory();
	expect_unreadable("file",
	    "file: cannot be read: No such file or directory");
	expect_unreadable("", ": cannot be read: No such file or directory");
	expect_unreadable(".", ".: cannot be read: it is a directory");
	expect_unreadable("/dev/null",
	    "/dev/null: cannot be read: it is not a regular file");
	/* Nobody writes to it, and yet this returns. */
	ck_assert_int_eq(mkfifo("file", 0600), 0);
	expect_unreadable("file",
	    "file: cannot be read: it is not a regular file");
	ck_assert_int_eq(symlink("nowhere", "link"), 0);
	expect_unreadable("link",
	    "link: cannot be read: No such file or directory");
	leave_directory();
}
END_TEST

START_TEST(a_file_without_permission_says_so)
{
	enter_new_directory();
	write_file("file", SMALL("5"));
	ck_assert_int_eq(chmod("file", 0), 0);
	/* Root may read all files: become nobody for the moment. */
	if (geteuid() == 0) {
		ck_assert_int_eq(chmod(".", 0755), 0);
		ck_assert_int_eq(seteuid(65534), 0);
		expect_unreadable("file",
		    "file: cannot be read: Permission denied");
		ck_assert_int_eq(seteuid(0), 0);
	} else {
		expect_unreadable("file",
		    "file: cannot be read: Permission denied");
	}
	leave_directory();
}
END_TEST

START_TEST(a_file_has_a_largest_size)
{
	static const char line[] = "file: has more than 4194304 bytes, which "
	    "is the most a configuration may have";
	struct conf_errors *errors;
	struct conf *conf;
	char *text;
	int fd;

	enter_new_directory();
	fd = open("file", O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)CONF_FILE_MAX + 1), 0);
	close(fd);
	ck_assert_ptr_null(conf_load("file", &errors));
	ck_assert_str_eq(conf_errors_line(errors, 0), line);
	ck_assert(!conf_errors_is_unreadable(errors));
	conf_errors_free(&errors);
	/* One byte less is read: a small file and many blanks. */
	text = malloc(CONF_FILE_MAX + 1);
	ck_assert_ptr_nonnull(text);
	memset(text, '\n', CONF_FILE_MAX);
	memcpy(text, SMALL("5"), sizeof(SMALL("5")) - 1);
	text[CONF_FILE_MAX] = '\0';
	write_file("file", text);
	conf = conf_load("file", &errors);
	ck_assert_ptr_nonnull(conf);
	conf_free(&conf);
	ck_assert_ptr_null(conf_parse("file", text, CONF_FILE_MAX + 1,
	    &errors));
	ck_assert_str_eq(conf_errors_line(errors, 0), line);
	conf_errors_free(&errors);
	free(text);
	leave_directory();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("read");

	tcase_add_test(tc, a_file_is_loaded_as_its_bytes_are);
	tcase_add_test(tc, a_link_that_was_switched_shows_its_new_target);
	tcase_add_test(tc, a_file_that_cannot_be_read_says_why);
	tcase_add_test(tc, a_file_without_permission_says_so);
	tcase_add_test(tc, a_file_has_a_largest_size);
	return run_case("read", tc);
}

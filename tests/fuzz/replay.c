/* Feeds a fuzzer's function with files: all of each folder that is named. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PATH_SIZE 4096
#define INPUT_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
replay_file(const char *path)
{
	static uint8_t input[INPUT_MAX];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (file == NULL) {
		perror(path);
		return false;
	}
	size = fread(input, 1, sizeof(input), file);
	fclose(file);
	/* Whatever ends the program comes right behind this line. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(input, size);
	return true;
}

static bool
replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_SIZE];
	size_t n = 0;
	bool is_right = dir != NULL;

	while (is_right && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		is_right = replay_file(path);
		n++;
	}
	if (dir == NULL)
		perror(folder);
	else
		closedir(dir);
	if (n == 0)
		fprintf(stderr, "%s holds no input\n", folder);
	return is_right && n > 0;
}

int
main(int argc, char **argv)
{
	struct stat st;

	for (int i = 1; i < argc; i++) {
		bool is_right = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode) ?
		    replay_folder(argv[i]) : replay_file(argv[i]);

		if (!is_right)
			return EXIT_FAILURE;
	}
	return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Keys of the log. */
#include "conf/keys_rows.h"

static const char *
format_word(size_t i)
{
	static const char *const words[] = {
		[CONF_LOG_TEXT] = "text",
		[CONF_LOG_LOGFMT] = "logfmt",
		[CONF_LOG_JSON] = "json",
	};

	return words[i];
}

static const char *
level_word(size_t i)
{
	static const char *const words[] = {
		[CONF_LOG_ERROR] = "error",
		[CONF_LOG_WARN] = "warn",
		[CONF_LOG_INFO] = "info",
		[CONF_LOG_DEBUG] = "debug",
		[CONF_LOG_UNSAID] = NULL,
	};

	return words[i];
}

static const struct choices format_choices = {3, format_word};
static const struct choices level_choices = {5, level_word};

static const struct key log_keys[] = {
	{
		.name = "format",
		.type = KEY_CHOICE, .choices = &format_choices,
		FIELD(conf_log, format),
		.initial = CONF_LOG_TEXT,
		.help = "`text`, for people; `logfmt` or `json`, one record a "
		    "line, for programs.",
	}, {
		.name = "level",
		.type = KEY_CHOICE, .choices = &level_choices,
		FIELD(conf_log, level),
		.initial = CONF_LOG_UNSAID,
		.initial_words = "info",
		.help = "The least important lines that are written. `-v` and "
		    "`-q` of the command line come before it; SIGTTIN raises "
		    "the level while the process runs, SIGTTOU lowers it.",
	}, {
		.name = "file",
		.type = KEY_TEXT,
		FIELD(conf_log, file),
		.initial_words = "standard error",
		.help = "A file that lines are appended to. After it was "
		    "renamed, SIGUSR1 opens it anew.",
	}, {
		.name = "slow_request",
		.type = KEY_DURATION,
		FIELD(conf_log, slow_request_ms),
		.initial = 0, .min = 0, .max = HOUR,
		.help = "A request that takes so long is logged, at most five "
		    "a second and worker. `0`: none is.",
	},
};

const struct section log_section = {
	KEYS(log_keys), .size = sizeof(struct conf_log),
	.noun = "log",
};

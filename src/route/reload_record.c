/* The audit trail of reloads. */
#include "route/reload_record.h"

#include <stdio.h>

#include "base/instant.h"

static const char *const trigger_words[] = {
#define X(member, word) [RELOAD_BY_##member] = (word),
	RELOAD_TRIGGERS(X)
#undef X
};

static const struct {
	const char	*word;
	const char	*meaning;
} results[] = {
#define X(member, word, meaning) [RELOAD_##member] = {word, meaning},
	RELOAD_RESULTS(X)
#undef X
};

static const char *const stage_words[] = {
#define X(member, word) [RELOAD_STAGE_##member] = (word),
	RELOAD_STAGES(X)
#undef X
};

const char *
reload_trigger_word(enum reload_trigger trigger)
{
	return trigger_words[trigger];
}

const char *
reload_result_word(enum reload_result result)
{
	return results[result].word;
}

const char *
reload_result_meaning(enum reload_result result)
{
	return results[result].meaning;
}

const char *
reload_stage_word(enum reload_stage stage)
{
	return stage_words[stage];
}

bool
reload_is_success(enum reload_result result)
{
	switch (result) {
	case RELOAD_DONE:
	case RELOAD_STAGED:
	case RELOAD_UNCHANGED:
		return true;
	case RELOAD_UNREADABLE:
	case RELOAD_INVALID:
	case RELOAD_UNBINDABLE:
	case RELOAD_NO_MEMORY:
		return false;
	}
	NEVER();
}

static void
record_fini(struct reload_record *record)
{
	table_diff_free(&record->diff);
	conf_errors_free(&record->errors);
}

const struct reload_record *
reload_history_add(struct reload_history *history,
    const struct reload_record *record)
{
	uint64_t i = history->nattempts % RELOAD_HISTORY_MAX;
	struct reload_record *kept = &history->records[i];

	record_fini(kept);
	*kept = *record;
	kept->number = ++history->nattempts;
	return kept;
}

size_t
reload_history_count(const struct reload_history *history)
{
	return history->nattempts < RELOAD_HISTORY_MAX ?
	    (size_t)history->nattempts : RELOAD_HISTORY_MAX;
}

const struct reload_record *
reload_history_at(const struct reload_history *history, size_t i)
{
	MUST(i < reload_history_count(history));
	return &history->records[(history->nattempts - 1 - i) %
	    RELOAD_HISTORY_MAX];
}

void
reload_history_fini(struct reload_history *history)
{
	for (size_t i = 0; i < RELOAD_HISTORY_MAX; i++)
		record_fini(&history->records[i]);
}

/* "servers +2 -1, 24.9% of the keys", for those that have a diff. */
static const char *
format_diff(const struct table_diff *diff, char out[RELOAD_SUMMARY_MAX])
{
	out[0] = '\0';
	if (diff != NULL)
		snprintf(out, RELOAD_SUMMARY_MAX, ", servers +%zu -%zu, "
		    "%.3g%% of the keys move", diff->sum.added,
		    diff->sum.removed, 100 * diff->moved_most);
	return out;
}

static void
summarise_refusal(const struct reload_record *record,
    char out[RELOAD_SUMMARY_MAX])
{
	size_t n = conf_errors_count(record->errors);

	snprintf(out, RELOAD_SUMMARY_MAX,
	    "reload refused, generation %llu stays: %s%s",
	    (unsigned long long)record->generation,
	    conf_errors_line(record->errors, 0), n > 1 ? " (and more)" : "");
}

const char *
reload_summary(const struct reload_record *record,
    char out[RELOAD_SUMMARY_MAX])
{
	unsigned long long generation = record->generation;
	char diff[RELOAD_SUMMARY_MAX], at[INSTANT_TEXT_MAX];

	if (!reload_is_success(record->result))
		summarise_refusal(record, out);
	else if (record->result == RELOAD_UNCHANGED)
		snprintf(out, RELOAD_SUMMARY_MAX,
		    "reload changed nothing: generation %llu", generation);
	else if (record->result == RELOAD_STAGED)
		snprintf(out, RELOAD_SUMMARY_MAX, "reload staged until %s: "
		    "generation %llu until then%.256s", instant_format(
		    record->activate_at_ms, at), generation,
		    format_diff(record->diff, diff));
	else
		snprintf(out, RELOAD_SUMMARY_MAX,
		    "reload done by %s: generation %llu%.256s",
		    reload_trigger_word(record->trigger), generation,
		    format_diff(record->diff, diff));
	return out;
}

/* Metrics of the process. */
#include "admin/metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "version.h"

const struct prom_label metrics_plain[] = {{NULL, NULL}};

static const struct prom_family build = {"build", "the program", PROM_INFO,
    false};

static const struct prom_family cpu = {"process_cpu_seconds",
    "user and system time used", PROM_COUNTER, true};

static void
count(struct prom *prom, const struct prom_family *family, uint64_t n)
{
	prom_begin(prom, family);
	prom_count(prom, metrics_plain, n);
}

static double
seconds_of(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* Pages in all, and in memory; zeros where /proc is not to be had. */
static void
read_memory(unsigned long long pages_r[2])
{
	FILE *statm = fopen("/proc/self/statm", "re");

	pages_r[0] = pages_r[1] = 0;
	if (statm == NULL)
		return;
	if (fscanf(statm, "%llu %llu", &pages_r[0], &pages_r[1]) != 2)
		pages_r[0] = pages_r[1] = 0;
	fclose(statm);
}

static uint64_t
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t n = 0;

	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(dir);
	/* One was open for looking only. */
	return n - 1;
}

/* The names that Prometheus' own clients give to these. */
static void
add_standard(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family start = {"process_start_time_seconds",
	    "when the process began, since 1970", PROM_GAUGE, true};
	static const struct prom_family resident = {
	    "process_resident_memory_bytes", "memory that is resident",
	    PROM_GAUGE, true};
	static const struct prom_family virtual = {
	    "process_virtual_memory_bytes", "memory that is mapped",
	    PROM_GAUGE, true};
	static const struct prom_family fds = {"process_open_fds",
	    "descriptors that are open", PROM_GAUGE, true};
	static const struct prom_family max_fds = {"process_max_fds",
	    "descriptors that may be open", PROM_GAUGE, true};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long pages[2];
	struct rlimit limit = {0, 0};

	read_memory(pages);
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	prom_begin(prom, &start);
	prom_count(prom, metrics_plain, (uint64_t)view->started_at);
	count(prom, &resident, pages[1] * page);
	count(prom, &virtual, pages[0] * page);
	count(prom, &fds, count_fds());
	count(prom, &max_fds, limit.rlim_cur);
}

static void
add_config(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family ok = {"config_last_reload_successful",
	    "1 if the last reload was not refused", PROM_GAUGE, false};
	static const struct prom_family when = {
	    "config_last_success_timestamp_seconds",
	    "when the last good configuration was loaded, since 1970",
	    PROM_GAUGE, false};
	static const struct prom_family membership = {"membership",
	    "hash of all that decides where pools' keys go, equal on proxies "
	    "that agree; 48 bits of it", PROM_GAUGE, false};
	const struct reload_gauges *gauges = &view->proxy->reload;

	count(prom, &ok, atomic_load_explicit(&gauges->is_last_ok,
	    memory_order_relaxed));
	count(prom, &when, atomic_load_explicit(&gauges->last_success_s,
	    memory_order_relaxed));
	count(prom, &membership, view->table->membership >>
	    METRICS_MEMBERSHIP_SHIFT);
}

static void
add_own(struct prom *prom, const struct admin_view *view)
{
	static const struct prom_family workers = {"workers",
	    "threads that serve clients", PROM_GAUGE, false};
	static const struct prom_family stuck = {"workers_stuck",
	    "workers whose loop has not turned for 5 s", PROM_GAUGE, false};
	static const struct prom_family generation = {"config_generation",
	    "tables put in force since the start", PROM_GAUGE, false};
	static const struct prom_family used = {"buffer_bytes",
	    "bytes of all buffers", PROM_GAUGE, false};
	static const struct prom_family most = {"buffer_limit_bytes",
	    "limits.memory of the configuration", PROM_GAUGE, false};
	static const struct prom_family draining = {"draining",
	    "1 once the process is about to end", PROM_GAUGE, false};
	const struct budget *budget = view->proxy->budget;
	uint64_t n = 0;

	for (size_t i = 0; i < view->proxy->nworkers; i++)
		n += pulse_silent_ms(view->pulse, i, view->now_ms) >=
		    PULSE_LIMIT_MS;
	count(prom, &workers, view->proxy->nworkers);
	count(prom, &stuck, n);
	count(prom, &generation, view->table->generation);
	count(prom, &used, atomic_load_explicit(&budget->used,
	    memory_order_relaxed));
	count(prom, &most, view->table->limits.memory);
	count(prom, &draining, view->is_draining);
}

void
metrics_process(struct prom *prom, const struct admin_view *view)
{
	struct rusage usage = {.ru_utime = {0, 0}};

	prom_begin(prom, &build);
	prom_count(prom, (const struct prom_label[]){
	    {"version", FAIRLEAD_VERSION}, {NULL, NULL}}, 1);
	(void)getrusage(RUSAGE_SELF, &usage);
	prom_begin(prom, &cpu);
	prom_number(prom, metrics_plain, seconds_of(usage.ru_utime) +
	    seconds_of(usage.ru_stime));
	add_standard(prom, view);
	add_own(prom, view);
	add_config(prom, view);
}

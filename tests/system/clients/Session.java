// A session of Java's spymemcached: all that it offers. Arguments: host, port.
// Prints a line a check, as TAP has it.
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import net.spy.memcached.CASResponse;
import net.spy.memcached.CASValue;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.MemcachedClient;

class Session {
	private static int checks;

	private static void check(String name, boolean isGood) {
		System.out.printf("%s %d %s%n", isGood ? "ok" : "not ok",
			++checks, name);
	}

	private static void same(String name, Object got, Object wanted) {
		boolean isGood = got instanceof byte[] ?
			Arrays.equals((byte[])got, (byte[])wanted) :
			Objects.equals(got, wanted);

		check(name, isGood);
		if (!isGood)
			System.out.printf("# got %s%n", got);
	}

	private static <T> T await(Future<T> future) throws Exception {
		return future.get(20, TimeUnit.SECONDS);
	}

	private static void storeAndFetch(MemcachedClient c)
			throws Exception {
		Map<String, Object> values = new HashMap<>();

		same("get of nothing", c.get("none"), null);
		values.put("text", "hello");
		values.put("empty", "");
		values.put("number", 42L);
		values.put("list", new ArrayList<>(List.of(1, "two", 3.0)));
		values.put("bytes", new byte[] {0, 13, 10, -1, -128});
		values.put("lines", "x\r\nEND\r\nSTORED\r\n");
		values.put("long", new byte[900000]);
		for (Map.Entry<String, Object> one : values.entrySet()) {
			String key = one.getKey();

			same("set " + key, await(c.set(key, 100,
				one.getValue())), true);
			same("get " + key, c.get(key), one.getValue());
		}
		same("add", await(c.add("new", 0, "x")), true);
		same("add again", await(c.add("new", 0, "y")), false);
		same("replace", await(c.replace("new", 0, "z")), true);
		same("replace nothing", await(c.replace("none", 0, "z")),
			false);
		same("append", await(c.append("new", ">")), true);
		same("prepend", await(c.prepend("new", "<")), true);
		same("extended", c.get("new"), "<z>");
		same("append to nothing", await(c.append("none", "x")), false);
		same("touch", await(c.touch("new", 100)), true);
		same("touch nothing", await(c.touch("none", 100)), false);
		same("delete", await(c.delete("new")), true);
		same("delete again", await(c.delete("new")), false);
		same("set for the past", await(c.set("old", -1, "x")), true);
		same("of the past", c.get("old"), null);
	}

	private static void countAndSwap(MemcachedClient c) throws Exception {
		await(c.set("n", 0, "10"));
		same("incr", c.incr("n", 5), 15L);
		same("decr", c.decr("n", 3), 12L);
		same("decr stops at zero", c.decr("n", 100), 0L);
		same("incr nothing", c.incr("none", 1), -1L);
		same("incr from a default", c.incr("fresh", 1, 7), 7L);
		same("incr on", c.incr("fresh", 1, 7), 8L);

		CASValue<Object> seen = c.gets("text");
		same("gets", seen.getValue(), "hello");
		same("cas", c.cas("text", seen.getCas(), "first"),
			CASResponse.OK);
		same("cas late", c.cas("text", seen.getCas(), "second"),
			CASResponse.EXISTS);
		same("cas kept", c.get("text"), "first");
		same("cas of nothing", c.cas("none", 1, "x"),
			CASResponse.NOT_FOUND);
		same("gets of nothing", c.gets("none"), null);
	}

	// It gathers gets that wait into one get of many keys by itself.
	private static void many(MemcachedClient c) throws Exception {
		Map<String, Object> values = new HashMap<>();
		List<Future<Boolean>> stored = new ArrayList<>();
		List<Future<Object>> fetched = new ArrayList<>();
		boolean isGood = true;

		for (int i = 0; i < 500; i++)
			values.put("many" + i, "value " + i);
		for (Map.Entry<String, Object> one : values.entrySet())
			stored.add(c.set(one.getKey(), 100, one.getValue()));
		for (Future<Boolean> one : stored)
			isGood = await(one) && isGood;
		check("500 sets at once", isGood);

		List<String> keys = new ArrayList<>(values.keySet());
		for (String key : keys)
			fetched.add(c.asyncGet(key));
		isGood = true;
		for (int i = 0; i < keys.size(); i++)
			isGood = await(fetched.get(i)).equals(
				values.get(keys.get(i))) && isGood;
		check("500 gets at once", isGood);
		keys.add("absent");
		same("get of many", c.getBulk(keys), values);
		same("get of none", c.getBulk("no1", "no2"), Map.of());
	}

	private static void errorsAndTheRest(MemcachedClient c)
			throws Exception {
		boolean isRefused = false;

		try {
			await(c.asyncIncr("text", 1));
		} catch (ExecutionException e) {
			isRefused = e.getMessage().contains("non-numeric");
		}
		check("incr text", isRefused);
		isRefused = false;
		try {
			c.get("a b");
		} catch (IllegalArgumentException e) {
			isRefused = true;
		}
		check("blank in a key", isRefused);
		same("after these", c.get("text"), "first");
		check("version", c.getVersions().values().iterator().next()
			.startsWith("1.6."));
		check("stats", Long.parseLong(c.getStats().values().iterator()
			.next().get("cmd_set")) > 0);
		check("stats settings", c.getStats("settings").values()
			.iterator().next().containsKey("maxconns"));
		same("flush", await(c.flush()), true);
		same("flushed", c.get("text"), null);
	}

	public static void main(String[] args) throws Exception {
		// Its log is long, and goes where its lines are looked at.
		System.setProperty("net.spy.log.LoggerImpl",
			"net.spy.memcached.compat.log.SunLogger");
		java.util.logging.LogManager.getLogManager().reset();
		MemcachedClient c = new MemcachedClient(
			new ConnectionFactoryBuilder().setOpTimeout(20000)
				.build(),
			List.of(new InetSocketAddress(args[0],
				Integer.parseInt(args[1]))));

		storeAndFetch(c);
		countAndSwap(c);
		many(c);
		errorsAndTheRest(c);
		c.shutdown(20, TimeUnit.SECONDS);
		System.out.printf("1..%d%n", checks);
	}
}

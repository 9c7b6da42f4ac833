<?php
/*
 * A session of PHP's memcached extension: all that it offers in the text
 * protocol. Arguments: host, port. Prints a line a check, as TAP has it.
 */
$checks = 0;

function check($name, $got, $wanted = true)
{
	global $checks;

	$checks++;
	if ($got === $wanted) {
		echo "ok $checks $name\n";
		return;
	}
	echo "not ok $checks $name: " . json_encode($got) . ", wanted " .
	    json_encode($wanted) . "\n";
}

function connect($options = [])
{
	global $argv;

	$m = new Memcached();
	$m->setOption(Memcached::OPT_BINARY_PROTOCOL, false);
	foreach ($options as $option => $value)
		$m->setOption($option, $value);
	$m->addServer($argv[1], (int)$argv[2]);
	return $m;
}

function store_and_fetch($m, $p)
{
	check("$p get of nothing", $m->get("$p:none"), false);
	check("$p not found", $m->getResultCode(), Memcached::RES_NOTFOUND);
	foreach (["text" => "hello", "number" => 42, "float" => 1.5,
	    "yes" => true, "list" => [1, "two", [3]], "empty" => "",
	    "bytes" => "\0\r\nEND\r\n\xff", "long" => str_repeat("x", 900000)]
	    as $name => $value) {
		check("$p set $name", $m->set("$p:$name", $value));
		check("$p get $name", $m->get("$p:$name"), $value);
	}
	check("$p add", $m->add("$p:new", "1"));
	check("$p add again", $m->add("$p:new", "2"), false);
	check("$p not stored", $m->getResultCode(),
	    Memcached::RES_NOTSTORED);
	check("$p replace", $m->replace("$p:new", "3"));
	check("$p replace nothing", $m->replace("$p:none", "3"), false);
	check("$p delete", $m->delete("$p:new"));
	check("$p delete again", $m->delete("$p:new"), false);
	check("$p set for the past", $m->set("$p:old", "x", -1));
	check("$p of the past", $m->get("$p:old"), false);
}

function count_and_extend($m, $p)
{
	$m->setOption(Memcached::OPT_COMPRESSION, false);
	$m->set("$p:n", 10);
	check("$p increment", $m->increment("$p:n", 5), 15);
	check("$p decrement", $m->decrement("$p:n", 100), 0);
	check("$p increment nothing", $m->increment("$p:none"), false);
	$m->set("$p:text", "middle");
	check("$p increment text", @$m->increment("$p:text"), false);
	check("$p append", $m->append("$p:text", ">"));
	check("$p prepend", $m->prepend("$p:text", "<"));
	check("$p extended", $m->get("$p:text"), "<middle>");
	check("$p append to nothing", $m->append("$p:none", "x"), false);
	check("$p touch", $m->touch("$p:text", 100));
	check("$p touch nothing", $m->touch("$p:none", 100), false);
}

function compare_and_swap($m, $p)
{
	$m->set("$p:cas", "one");
	$found = $m->get("$p:cas", null, Memcached::GET_EXTENDED);
	check("$p value with cas", $found["value"], "one");
	check("$p cas", $m->cas($found["cas"], "$p:cas", "two"));
	check("$p cas late", $m->cas($found["cas"], "$p:cas", "three"),
	    false);
	check("$p data exists", $m->getResultCode(),
	    Memcached::RES_DATA_EXISTS);
	check("$p cas kept", $m->get("$p:cas"), "two");
	$m->delete("$p:cas");
	check("$p cas of nothing", $m->cas($found["cas"], "$p:cas", "x"),
	    false);
}

function many($m, $p)
{
	$values = [];
	for ($i = 0; $i < 500; $i++)
		$values["$p:many$i"] = "value $i";
	check("$p setMulti", $m->setMulti($values));
	check("$p getMulti", $m->getMulti(array_keys($values),
	    Memcached::GET_PRESERVE_ORDER), $values);
	$some = ["$p:many1", "$p:absent", "$p:many2"];
	check("$p getMulti with a miss", $m->getMulti($some),
	    ["$p:many1" => "value 1", "$p:many2" => "value 2"]);
	check("$p getDelayed", $m->getDelayed(array_keys($values), true));
	$fetched = [];
	foreach ($m->fetchAll() as $row)
		$fetched[$row["key"]] = $row["value"];
	ksort($fetched);
	ksort($values);
	check("$p fetchAll", $fetched, $values);
	$gone = $m->deleteMulti(array_keys($values));
	check("$p deleteMulti", array_unique(array_values($gone)), [true]);
	check("$p all gone", $m->getMulti(array_keys($values)), []);
}

function all_of_it($m, $p)
{
	store_and_fetch($m, $p);
	count_and_extend($m, $p);
	compare_and_swap($m, $p);
	many($m, $p);
}

function server_commands($m)
{
	global $argv;
	$at = "$argv[1]:$argv[2]";

	check("version", preg_match('/^1\.\d+\.\d+/',
	    $m->getVersion()[$at] ?? ""), 1);
	check("stats", isset($m->getStats()[$at]["pid"]));
	$m->set("flushed", "x");
	check("flush", $m->flush());
	check("flushed", $m->get("flushed"), false);
	check("quit", $m->quit());
	check("after quit", $m->set("again", "x"));
}

$plain = connect();
all_of_it($plain, "plain");
all_of_it(connect([Memcached::OPT_TCP_NODELAY => true,
    Memcached::OPT_NO_BLOCK => true]), "nonblocking");
all_of_it(connect([Memcached::OPT_PREFIX_KEY => "app.",
    Memcached::OPT_SERIALIZER => Memcached::SERIALIZER_JSON]) , "prefixed");

$buffered = connect([Memcached::OPT_BUFFER_WRITES => true]);
for ($i = 0; $i < 1000; $i++)
	$buffered->set("buffered$i", "value $i");
check("flushBuffers", $buffered->flushBuffers());
check("buffered", $buffered->get("buffered999"), "value 999");

$silent = connect([Memcached::OPT_NOREPLY => true]);
for ($i = 0; $i < 100; $i++)
	$silent->set("silent", "value $i");
check("noreply", $silent->get("silent"), "value 99");

server_commands($plain);
echo "1..$checks\n";

#!/usr/bin/perl
# A session of Perl's Cache::Memcached::Fast: all that it offers.
# Arguments: host, port. Prints a line a check, as TAP has it.
use strict;
use warnings;

use Cache::Memcached::Fast;
use Test::More;

my ($host, $port) = @ARGV;

sub client {
	return Cache::Memcached::Fast->new({
		servers => ["$host:$port"], connect_timeout => 5,
		io_timeout => 20, max_failures => 0, @_ });
}

sub store_and_fetch {
	my ($m, $p) = @_;

	is($m->get("$p:none"), undef, "$p get of nothing");
	my %values = (text => "hello", number => 42, empty => "",
		bytes => "\0\r\nEND\r\n\xff", long => "x" x 900000);
	for my $name (sort keys %values) {
		ok($m->set("$p:$name", $values{$name}), "$p set $name");
		ok($m->get("$p:$name") eq $values{$name}, "$p get $name");
	}
	ok($m->set("$p:list", [1, "two", { three => 3 }]), "$p set list");
	is_deeply($m->get("$p:list"), [1, "two", { three => 3 }],
		"$p get list");
	ok($m->add("$p:new", 1), "$p add");
	ok(!$m->add("$p:new", 2), "$p add again");
	ok($m->replace("$p:new", 3), "$p replace");
	ok(!$m->replace("$p:none", 3), "$p replace nothing");
	ok($m->delete("$p:new"), "$p delete");
	ok(!$m->delete("$p:new"), "$p delete again");
	ok($m->set("$p:old", "x", -1), "$p set for the past");
	is($m->get("$p:old"), undef, "$p of the past");
}

sub count_and_extend {
	my ($m, $p) = @_;

	$m->set("$p:n", 10);
	is($m->incr("$p:n", 5), 15, "$p incr");
	is($m->decr("$p:n", 3), 12, "$p decr");
	is($m->decr("$p:n", 100), "0E0", "$p decr stops at zero");
	ok(!$m->incr("$p:none"), "$p incr nothing");
	$m->set("$p:text", "middle");
	ok(!$m->incr("$p:text"), "$p incr text");
	ok($m->append("$p:text", ">"), "$p append");
	ok($m->prepend("$p:text", "<"), "$p prepend");
	is($m->get("$p:text"), "<middle>", "$p extended");
	ok(!$m->append("$p:none", "x"), "$p append to nothing");
	ok($m->touch("$p:text", 100), "$p touch");
	ok(!$m->touch("$p:none", 100), "$p touch nothing");
	is($m->gat(100, "$p:text"), "<middle>", "$p gat");
	is($m->gat(100, "$p:none"), undef, "$p gat of nothing");
}

sub compare_and_swap {
	my ($m, $p) = @_;

	$m->set("$p:cas", "one");
	my ($version, $value) = @{ $m->gets("$p:cas") };
	is($value, "one", "$p value with cas");
	ok($m->cas("$p:cas", $version, "two"), "$p cas");
	ok(!$m->cas("$p:cas", $version, "three"), "$p cas late");
	is($m->get("$p:cas"), "two", "$p cas kept");
	($version, $value) = @{ $m->gats(100, "$p:cas") };
	is($value, "two", "$p gats");
	ok($m->cas("$p:cas", $version, "four"), "$p cas after gats");
	$m->delete("$p:cas");
	ok(!$m->cas("$p:cas", $version, "x"), "$p cas of nothing");
}

sub many {
	my ($m, $p) = @_;
	my %values = map { ("$p:many$_" => "value $_") } 0 .. 499;
	my @names = sort keys %values;
	my $done;

	$done = $m->set_multi(map { [$_, $values{$_}] } @names);
	is(scalar(grep { $_ } values %$done), 500, "$p set_multi");
	is_deeply($m->get_multi(@names, "$p:absent"), \%values,
		"$p get_multi");
	$done = $m->gets_multi(@names);
	is_deeply({ map { ($_ => $$done{$_}[1]) } keys %$done }, \%values,
		"$p gets_multi");
	$done = $m->cas_multi(map { [$_, $$done{$_}[0], "again"] } @names);
	is(scalar(grep { $_ } values %$done), 500, "$p cas_multi");
	is(scalar(grep { $_ eq "again" }
		values %{ $m->gat_multi(100, @names) }), 500, "$p gat_multi");
	$done = $m->touch_multi(map { [$_, 100] } @names);
	is(scalar(grep { $_ } values %$done), 500, "$p touch_multi");
	$done = $m->append_multi(map { [$_, "!"] } @names);
	is($m->get($names[7]), "again!", "$p append_multi");
	$m->set_multi(map { [$_, 5] } @names);
	$done = $m->incr_multi(map { [$_, 2] } @names);
	is(scalar(grep { $_ == 7 } values %$done), 500, "$p incr_multi");
	$done = $m->delete_multi(@names);
	is(scalar(grep { $_ } values %$done), 500, "$p delete_multi");
	is_deeply($m->get_multi(@names), {}, "$p all gone");
}

sub all_of_it {
	store_and_fetch(@_);
	count_and_extend(@_);
	compare_and_swap(@_);
	many(@_);
}

my $m = client();
all_of_it($m, "plain");
all_of_it(client(namespace => "app:", nowait => 0, utf8 => 1), "named");

# Without a wish for a reply, its calls are sent with noreply.
my $silent = client(nowait => 1);
$silent->set("silent", "value $_") for 0 .. 99;
$silent->delete("silent:gone");
$silent->nowait_push;
is($m->get("silent"), "value 99", "noreply");

like($m->server_versions->{"$host:$port"}, qr/^1\.\d+\.\d+/, "version");
ok($m->set("flushed", "x"), "before flush_all");
ok($m->flush_all->{"$host:$port"}, "flush_all");
is($m->get("flushed"), undef, "flushed");
$m->disconnect_all;
ok($m->set("again", "x"), "after disconnect");
done_testing();

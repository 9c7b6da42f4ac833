// A session of npm's memcached: all that it offers. Arguments: host, port.
// Prints a line a check, as TAP has it.
'use strict';

const util = require('util');
const Memcached = require('memcached');

let checks = 0;

function check(name, isGood) {
	checks++;
	console.log('%s %d %s', isGood ? 'ok' : 'not ok', checks, name);
}

function same(name, got, wanted) {
	const isGood = util.isDeepStrictEqual(got, wanted);

	check(name, isGood);
	if (!isGood)
		console.log('# got %s', util.inspect(got).slice(0, 300));
}

// All calls of a client as promises. A failure becomes its text.
function promised(client) {
	return (verb, ...args) => new Promise((resolve) =>
		client[verb](...args, (error, data) => resolve(
			error === undefined || error === null ? data :
				String(error.message || error))));
}

async function storeAndFetch(call) {
	const values = { text: 'hello', empty: '', number: 42, yes: true,
		object: { a: [1, 'é', null] }, lines: 'x\r\nEND\r\nSTORED\r\n',
		bytes: Buffer.from([0, 13, 10, 255, 128]),
		long: 'x'.repeat(900000) };

	same('get of nothing', await call('get', 'none'), undefined);
	for (const name of Object.keys(values)) {
		same('set ' + name, await call('set', name, values[name], 100),
			true);
		same('get ' + name, await call('get', name), values[name]);
	}
	same('add', await call('add', 'new', 'x', 0), true);
	check('add again', /not stored/.test(await call('add', 'new', 'y', 0)));
	same('replace', await call('replace', 'new', 'z', 0), true);
	check('replace nothing',
		/not stored/.test(await call('replace', 'none', 'z', 0)));
	same('append', await call('append', 'new', '>'), true);
	same('prepend', await call('prepend', 'new', '<'), true);
	same('extended', await call('get', 'new'), '<z>');
	check('append to nothing',
		/not stored/.test(await call('append', 'none', 'x')));
	same('touch', await call('touch', 'new', 100), true);
	same('touch nothing', await call('touch', 'none', 100), false);
	same('del', await call('del', 'new'), true);
	same('del again', await call('del', 'new'), false);
	same('set for the past', await call('set', 'old', 'x', -1), true);
	same('of the past', await call('get', 'old'), undefined);
}

async function countAndSwap(call) {
	await call('set', 'n', 10, 0);
	same('incr', await call('incr', 'n', 5), 15);
	same('decr', await call('decr', 'n', 3), 12);
	same('decr stops at zero', await call('decr', 'n', 100), 0);
	same('incr nothing', await call('incr', 'none', 1), false);
	check('incr text', /non-numeric/.test(await call('incr', 'text', 1)));
	const { cas, text } = await call('gets', 'text');
	same('gets', text, 'hello');
	same('cas', await call('cas', 'text', 'first', cas, 100), true);
	same('cas late', await call('cas', 'text', 'second', cas, 100), false);
	same('cas kept', await call('get', 'text'), 'first');
	check('cas of nothing',
		!(await call('cas', 'none', 'x', cas, 100)) ||
		/NOT_FOUND|not found/i.test(
			await call('cas', 'none', 'x', cas, 100)));
	same('gets of nothing', await call('gets', 'none'), undefined);
}

async function many(call) {
	const names = Array.from({ length: 300 }, (_, i) => 'many' + i);
	const stored = await Promise.all(names.map(
		(name) => call('set', name, name.repeat(9), 100)));

	check('300 sets at once', stored.every((one) => one === true));
	same('get of many', await call('getMulti', names.concat('absent')),
		Object.fromEntries(names.map((name) => [name, name.repeat(9)])));
	const fetched = await Promise.all(names.map(
		(name) => call('get', name)));
	check('300 gets at once', fetched.every(
		(value, i) => value === names[i].repeat(9)));
	same('get of none', await call('getMulti', ['no1', 'no2']), {});
	const counts = await Promise.all(names.map(() => call('incr', 'n', 1)));
	same('300 counts at once', counts.slice().sort((a, b) => a - b),
		names.map((_, i) => i + 1));
}

async function about(call, server) {
	const [version] = await call('version');
	const [stats] = await call('stats');
	const [settings] = await call('settings');

	check('version', version.server === server &&
		Number(version.major) === 1 && Number(version.minor) === 6);
	check('stats', stats.server === server && Number(stats.cmd_set) > 0);
	check('settings', settings.maxconns > 0);
	await call('slabs');
	await call('items');
	check('blank in a key', /key/i.test(await call('get', 'a b')));
	same('after these', await call('get', 'text'), 'first');
	same('flush', await call('flush'), [true]);
	same('flushed', await call('get', 'text'), undefined);
}

async function session() {
	const server = process.argv[2] + ':' + process.argv[3];
	const client = new Memcached(server, { timeout: 20000, retries: 0,
		maxValue: 4000000 });
	const call = promised(client);

	await storeAndFetch(call);
	await countAndSwap(call);
	await many(call);
	await about(call, server);
	// A SERVER_ERROR: the client gives its server up for a while.
	same('too large', await call('set', 'text', 'x'.repeat(2000000), 0),
		false);
	console.log('1..%d', checks);
	// Else it would wait for that server.
	process.exit();
}

session();

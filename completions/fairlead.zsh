#compdef fairlead
# Completion of fairlead for zsh.

local -a commands shared
commands=(
	'locate:the servers that keys go to'
	'plan:what a reload from one file to another would do'
	'ring:how evenly each pool spreads its keys'
	'place:how many of your keys two files place alike'
	'convert:a file of another program as one of ours'
	'schema:the JSON Schema of the configuration'
	'probe:whether a running daemon is live, or ready'
	'wait:until a daemon is ready'
	'reload:make a running daemon reload'
)
shared=(
	'(-m --max)'{-m,--max}'[how long to try]:time'
	'(-a --admin)'{-a,--admin}'[the admin listener]:address'
	'(-c --config)'{-c,--config}'[take the address from a file]:file:_files'
	'(-h --help)'{-h,--help}'[help]'
)

if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
	_describe command commands
	return
fi

case $words[2] in
locate)
	_arguments \
		'(-c --config)'{-c,--config}'[the configuration]:file:_files' \
		'(-l --listener)'{-l,--listener}'[where keys come in]:listener' \
		'(-p --pool)'{-p,--pool}'[in this pool]:pool' \
		'(-n --replicas)'{-n,--replicas}'[servers a key]:number' \
		'(-h --help)'{-h,--help}'[help]' '*:key' ;;
plan)
	_arguments '(-j --json)'{-j,--json}'[as JSON]' \
		'(-h --help)'{-h,--help}'[help]' '*:file:_files' ;;
ring)
	_arguments \
		'(-c --config)'{-c,--config}'[the configuration]:file:_files' \
		'(-p --pool)'{-p,--pool}'[this pool only]:pool' \
		'(-j --json)'{-j,--json}'[as JSON]' \
		'(-h --help)'{-h,--help}'[help]' ;;
place)
	_arguments '2:command:(compare)' \
		'(-k --keys)'{-k,--keys}'[keys, one a line]:file:_files' \
		'(-b --by)'{-b,--by}'[what makes servers equal]:by:(name address)' \
		'(-l --listener)'{-l,--listener}'[where keys come in]:listener' \
		'(-j --json)'{-j,--json}'[as JSON]' \
		'(-h --help)'{-h,--help}'[help]' '*:file:_files' ;;
convert)
	_arguments \
		'(-f --from)'{-f,--from}'[whose file it is]:program:(nutcracker libmemcached mcrouter)' \
		'(-l --listen)'{-l,--listen}'[where clients connect]:address' \
		'(-h --help)'{-h,--help}'[help]' '*:file:_files' ;;
schema)
	_arguments '(-h --help)'{-h,--help}'[help]' ;;
probe)
	_arguments '2:what:(live ready startup)' $shared ;;
wait | reload)
	_arguments $shared ;;
*)
	_arguments \
		'(-c --config)'{-c,--config}'[the configuration]:file:_files' \
		'(-t --test-conf)'{-t,--test-conf}'[check it]' \
		'(-T --print-conf)'{-T,--print-conf}'[print it]' \
		'(-v --verbose)'{-v,--verbose}'[log each connection]' \
		'(-q --quiet)'{-q,--quiet}'[warnings and errors only]' \
		'(-V --version)'{-V,--version}'[the version]' \
		'(-h --help)'{-h,--help}'[help]' ;;
esac

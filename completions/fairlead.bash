# shellcheck shell=bash
# Completion of fairlead for bash.

_fairlead_words() {
	case $1 in
	"") echo "locate plan ring place convert schema probe wait reload
		-c --config -t --test-conf -T --print-conf -v --verbose
		-q --quiet -V --version -h --help" ;;
	locate) echo "-c --config -l --listener -p --pool -n --replicas
		-h --help" ;;
	plan) echo "-j --json -h --help" ;;
	ring) echo "-c --config -p --pool -j --json -h --help" ;;
	place) echo "compare -k --keys -b --by -l --listener -j --json
		-h --help" ;;
	convert) echo "-f --from -l --listen -h --help" ;;
	schema) echo "-h --help" ;;
	probe) echo "live ready startup -m --max -a --admin -c --config
		-h --help" ;;
	wait | reload) echo "-m --max -a --admin -c --config -h --help" ;;
	esac
}

_fairlead() {
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} command=""

	[ "$COMP_CWORD" -eq 1 ] || command=${COMP_WORDS[1]}
	[[ $command != -* ]] || command=""
	case $before in
	-c | --config | --conf-file | -k | --keys)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return ;;
	-f | --from)
		mapfile -t COMPREPLY < <(compgen -W \
			"nutcracker libmemcached mcrouter" -- "$word")
		return ;;
	-b | --by)
		mapfile -t COMPREPLY < <(compgen -W "name address" -- "$word")
		return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$(_fairlead_words "$command")" \
		-- "$word")
	# What is no option may be a file.
	case $command in
	plan | place | convert)
		[[ $word == -* ]] || mapfile -t -O "${#COMPREPLY[@]}" \
			COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _fairlead fairlead

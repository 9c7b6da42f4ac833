# Completion of fairlead for fish.

set -l commands locate plan ring place convert schema probe wait reload
set -l none "not __fish_seen_subcommand_from $commands"

complete -c fairlead -f
complete -c fairlead -n $none -a locate -d 'the servers that keys go to'
complete -c fairlead -n $none -a plan -d 'what a reload would do'
complete -c fairlead -n $none -a ring -d 'how evenly pools spread keys'
complete -c fairlead -n $none -a place -d 'how many keys two files place alike'
complete -c fairlead -n $none -a convert -d 'a file of another program'
complete -c fairlead -n $none -a schema -d 'the JSON Schema'
complete -c fairlead -n $none -a probe -d 'whether a daemon is live, or ready'
complete -c fairlead -n $none -a wait -d 'until a daemon is ready'
complete -c fairlead -n $none -a reload -d 'make a running daemon reload'

complete -c fairlead -s h -l help -d 'help'
complete -c fairlead -n $none -s c -l config -r -F -d 'the configuration'
complete -c fairlead -n $none -s t -l test-conf -d 'check it'
complete -c fairlead -n $none -s T -l print-conf -d 'print it'
complete -c fairlead -n $none -s v -l verbose -d 'log each connection'
complete -c fairlead -n $none -s q -l quiet -d 'warnings and errors only'
complete -c fairlead -n $none -s V -l version -d 'the version'

set -l seen __fish_seen_subcommand_from
complete -c fairlead -n "$seen locate ring" -s c -l config -r -F \
    -d 'the configuration'
complete -c fairlead -n "$seen locate place" -s l -l listener -x \
    -d 'where keys come in'
complete -c fairlead -n "$seen locate ring" -s p -l pool -x -d 'this pool'
complete -c fairlead -n "$seen locate" -s n -l replicas -x -d 'servers a key'
complete -c fairlead -n "$seen plan ring place" -s j -l json -d 'as JSON'
complete -c fairlead -n "$seen plan place convert" -F
complete -c fairlead -n "$seen place" -a compare
complete -c fairlead -n "$seen place" -s k -l keys -r -F -d 'keys, one a line'
complete -c fairlead -n "$seen place" -s b -l by -x -a 'name address' \
    -d 'what makes servers equal'
complete -c fairlead -n "$seen convert" -s f -l from -x \
    -a 'nutcracker libmemcached mcrouter' -d 'whose file it is'
complete -c fairlead -n "$seen convert" -s l -l listen -x \
    -d 'where clients connect'
complete -c fairlead -n "$seen probe" -a 'live ready startup'
complete -c fairlead -n "$seen probe wait reload" -s m -l max -x \
    -d 'how long to try'
complete -c fairlead -n "$seen probe wait reload" -s a -l admin -x \
    -d 'the admin listener'
complete -c fairlead -n "$seen probe wait reload" -s c -l config -r -F \
    -d 'take the address from a file'

"""The rules themselves: each must find the breach that it is for."""

import layers
import links
import shape
import tree
import words

# Stands beside each breach, and breaks no rule itself.
_GOOD = tree.File("src/route/good.c", '/* x */\n#include "conf/conf.h"\n')

_LONG_FUNCTION = "/* x */\nint\nf(void)\n{\n" + "\tg();\n" * 80 + "}\n"

# (rule, a file's name, its text, what the complaint must say)
BREACHES = (
    (layers.includes_keep_the_layers, "src/ring/a.c",
     '#include "conf/conf.h"\n', "conf/conf.h"),
    (layers.includes_keep_the_layers, "src/base/a.h",
     '#include "ring/hash.h"\n', "ring/hash.h"),
    (layers.includes_keep_the_layers, "src/route/a.c",
     "#include <yaml.h>\n", "yaml.h"),
    (layers.includes_keep_the_layers, "src/cli/a.c",
     "#include <event2/event.h>\n", "event2/event.h"),
    (layers.includes_keep_the_layers, "src/cli/a.c",
     '#include "proxy/client.h"\n', "proxy/client.h"),
    (layers.folders_are_known, "src/helpers/a.c", "", "no row"),
    (layers.unit_tests_keep_the_layers, "tests/unit/proto/test_a.c",
     '#include "proxy/client.h"\n', "proxy/client.h"),
    (layers.own_header_comes_first, "src/base/err.c",
     '#include <stdio.h>\n#include "base/err.h"\n', "base/err.h"),
    (layers.links_keep_the_layers, "src/proto/meson.build",
     "static_library('proto', dependencies: [base_dep, route_dep])\n",
     "route_dep"),
    (layers.links_keep_the_layers, "src/route/meson.build",
     "static_library('route', dependencies: yaml)\n", "yaml"),
    (layers.links_are_complete, "src/route/meson.build",
     "static_library('route', dependencies: [base_dep])\n", "conf/"),
    (layers.headers_are_guarded, "src/base/a.h", "int x;\n", "BASE_A_H"),
    (links.links_lead_somewhere, "docs/architecture.md",
     "see [it](nowhere.md)\n", "nowhere.md"),
    (links.links_lead_somewhere, "docs/architecture.md",
     "see [it](#no-such-heading)\n", "no heading"),
    (shape.files_are_short, "src/base/a.c", "\n" * 501, "501 lines"),
    (shape.functions_are_short, "src/base/a.c", _LONG_FUNCTION, "f() has"),
    (shape.names_begin_lines, "src/base/a.c",
     "static int f(void)\n{\n}\n", "line of its own"),
    (shape.lines_are_short, "src/base/a.c", "\t" * 9 + "123456789\n",
     "81 columns"),
    (shape.indents_are_tabs, "src/base/a.c", "        x();\n", "spaces"),
    (shape.files_say_what_they_are, "src/base/a.c", "int x;\n", "head"),
    (words.nothing_forbidden_is_said, "src/base/a.c", "/* TO" "DO: x */\n",
     "ticket"),
    (words.nothing_forbidden_is_said, "docs/a.md", "see /ho" "me/me/x\n",
     "machine"),
    (words.nothing_forbidden_is_said, "docs/a.md", "see ../sha" "red/x\n",
     "outside"),
    (words.nothing_forbidden_is_said, "src/ring/a.c",
     "p = mal" "loc(3);\n", "base/mem.h"),
    (words.nothing_forbidden_is_said, "tests/unit/base/a.c",
     "\tusl" "eep(3);\n", "condition"),
    (words.tests_do_not_sleep, "tests/system/test_a.py",
     "time.sl" "eep(1)\n", "reason"),
    (words.lines_end_cleanly, "docs/a.md", "blank \n", "blanks"),
    (words.lines_end_cleanly, "docs/a.md", "no end", "newline"),
)


def _finds(rule, name, text, word):
    tree.use([tree.File(name, text), _GOOD])
    return any(word in found for found in rule())


def rules_find_their_breaches():
    """Each rule finds the breach that it is for."""
    try:
        for rule, name, text, word in BREACHES:
            if not _finds(rule, name, text, word):
                yield "%s does not see it: %s, %r" % (
                    rule.__name__, name, text[:60])
    finally:
        tree.use([])
    proved = {breach[0] for breach in BREACHES}
    for rule in layers.CHECKS + links.CHECKS + shape.CHECKS + \
            words.CHECKS:
        if rule not in proved:
            yield "%s is not proved" % rule.__name__


CHECKS = (rules_find_their_breaches,)

"""The layers: which folder of src may use which, in code and in links."""

import re

import tree

# Each folder's row of docs/architecture.md. A folder may use itself.
ROWS = {
    "base": (),
    "ring": ("base",),
    "proto": ("base",),
    "conf": ("base", "ring"),
    "convert": ("base", "ring", "conf"),
    "stats": ("base",),
    "route": ("base", "ring", "conf", "stats"),
    "proxy": ("base", "proto", "stats", "route"),
    "admin": ("base", "ring", "proto", "conf", "stats", "route", "proxy",
              "cli"),
    "cli": ("base", "ring", "proto", "conf", "convert", "stats", "route"),
    "daemon": ("base", "ring", "proto", "conf", "stats", "route", "proxy",
               "cli", "admin"),
}

# Who may include what is not ours: the folders, by the header's beginning.
OUTSIDE = {
    "yaml.h": ("conf",),
    "jansson.h": ("cli", "admin"),
    "event2/": ("proxy", "admin", "daemon"),
    "xxhash.h": ("ring", "daemon"),
    "md5.h": ("ring",),
    "sha1.h": ("ring",),
    "sha2.h": ("ring",),
    "pthread.h": ("route", "proxy", "daemon"),
    "sys/socket.h": ("route", "proxy", "cli", "daemon"),
}

# Names of meson dependencies that are not ours, and the folders they are for.
OUTSIDE_LINKS = {
    "yaml": ("conf",),
    "jansson": ("cli", "admin"),
    "libevent_core": ("proxy", "admin", "daemon"),
    "libevent_extra": ("admin", "daemon"),
    "xxhash": ("ring", "daemon"),
    "libmd": ("ring",),
    "libm": ("ring", "cli"),
    "threads": ("route", "proxy", "daemon"),
}

# Made by the build, not in a folder.
GENERATED = {"version.h": ("proxy", "admin", "daemon")}

_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
_DEPENDENCIES = re.compile(r"dependencies:\s*(\[[^\]]*\]|\w+)")


def _includes(file):
    for number, line in enumerate(file.lines, 1):
        found = _INCLUDE.match(line)
        if found:
            yield number, found.group(1)


def _rightful(header, folder):
    """Whether a file of `folder` may include `header`."""
    for start, folders in OUTSIDE.items():
        if header.startswith(start):
            return folder in folders
    if header in GENERATED:
        return folder in GENERATED[header]
    used = header.split("/")[0]
    return "/" not in header or used not in ROWS or used == folder or \
        used in ROWS[folder]


def includes_keep_the_layers():
    """src/: each folder includes only what its row allows."""
    for file in tree.files(".c", ".h", under="src/"):
        for number, header in _includes(file):
            if file.folder in ROWS and not _rightful(header, file.folder):
                yield file.at(number, "%s/ may not include %s" % (
                    file.folder, header))


def folders_are_known():
    """src/: no folder without a row."""
    for file in tree.files(".c", ".h", under="src/"):
        if file.folder not in ROWS:
            yield file.at(1, "its folder has no row in %s" % __file__)


def unit_tests_keep_the_layers():
    """tests/unit/: a folder's tests include what that folder may."""
    for file in tree.files(".c", ".h", under="tests/unit/"):
        for number, header in _includes(file):
            if file.folder in ROWS and not _rightful(header, file.folder):
                yield file.at(number, "tests of %s/ may not include %s" % (
                    file.folder, header))


def own_header_comes_first():
    """src/: a file that has a header includes it first."""
    for file in tree.files(".c", under="src/"):
        own = file.name[len("src/"):-2] + ".h"
        if not (tree.ROOT / "src" / own).exists():
            continue
        number, first = next(_includes(file), (1, None))
        if first != own:
            yield file.at(number, "%s must be included first" % own)


def _links(file):
    """The dependencies that a meson.build names, with their lines."""
    for found in _DEPENDENCIES.finditer(file.text):
        number = file.text.count("\n", 0, found.start()) + 1
        for name in re.findall(r"\w+", found.group(1)):
            yield number, name


def links_keep_the_layers():
    """meson: each folder links only what its row allows."""
    for file in tree.files("meson.build", under="src/"):
        folder = file.folder
        if not folder:
            continue
        for number, name in _links(file):
            used = name[:-len("_dep")] if name.endswith("_dep") else name
            allowed = used == folder or used in ROWS[folder] or \
                folder in OUTSIDE_LINKS.get(used, ())
            if not allowed:
                yield file.at(number, "%s/ may not link %s" % (folder, name))


def links_are_complete():
    """meson: a folder links each folder that it includes."""
    for file in tree.files("meson.build", under="src/"):
        folder = file.folder
        if not folder:
            continue
        linked = {name for _, name in _links(file)}
        used = {header.split("/")[0]
                for source in tree.files(".c", ".h",
                                         under="src/%s/" % folder)
                for _, header in _includes(source) if "/" in header}
        for other in sorted(used & set(ROWS)):
            if other != folder and other + "_dep" not in linked:
                yield file.at(1, "%s/ includes %s/ and does not link it" % (
                    folder, other))


def headers_are_guarded():
    """src/: each header has a guard named after it."""
    for file in tree.files(".h", under="src/"):
        guard = re.sub(r"\W", "_", file.name[len("src/"):]).upper()
        if "#ifndef %s\n#define %s\n" % (guard, guard) not in file.text:
            yield file.at(1, "no guard %s" % guard)


CHECKS = (includes_keep_the_layers, folders_are_known,
          unit_tests_keep_the_layers, own_header_comes_first,
          links_keep_the_layers, links_are_complete, headers_are_guarded)

"""Prints the uses of each name of a C project, as the compiler's parser resolves them (libclang)."""
import json, os, sys
from ctypes import byref, c_uint, c_void_p
from clang import cindex
from clang.cindex import CursorKind as K, conf

here = os.getcwd() + '/'
def place(location):
    f, l, c, o = cindex.c_object_p(), c_uint(), c_uint(), c_uint()
    conf.lib.clang_getFileLocation(location, byref(f), byref(l), byref(c), byref(o))
    if not f: return None
    name = os.path.normpath(os.path.join(here, cindex.File(f).name))
    return (name[len(here):], l.value, c.value) if name.startswith(here) else None
text = {}
def word(p, name):
    if p[0] not in text: text[p[0]] = open(here + p[0], 'rb').read().split(b'\n')
    return text[p[0]][p[1] - 1][p[2] - 1:].startswith(name.encode())
symbols, macros = {}, {}
uses = {K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.MEMBER_REF, K.LABEL_REF}
conf.lib.clang_getFileLocation.argtypes = [cindex.SourceLocation] + [c_void_p] * 4
for entry in json.load(open('compile_commands.json')):
    tu = cindex.Index.create().parse(entry['file'], args=entry['command'].split()[1:-2] + ['-fsyntax-only'], options=1)
    bad = [d for d in tu.diagnostics if d.severity >= 3]
    if bad: print(entry['file'], bad[0], file=sys.stderr)
    for c in tu.cursor.walk_preorder():
        target = c.referenced if c.kind in uses else c if c.kind.is_declaration() or c.kind == K.MACRO_DEFINITION else None
        if c.kind == K.MACRO_INSTANTIATION: target = c.referenced
        if target is None or not target.spelling or target.location.file is None: continue
        usr, at = target.get_usr(), place(c.location)
        if not usr or not at: continue
        s = symbols.setdefault(usr, {"Name": target.spelling.split(' ')[-1], "Local": target.semantic_parent is not None and target.semantic_parent.kind == K.FUNCTION_DECL, "Fixed": target.kind == K.MACRO_DEFINITION, "Through": False, "At": {}})
        if place(target.location) is None: s["Outside"] = True
        if not word(at, s["Name"]): s["Through"] = True
        s["At"][at] = True
out = []
for s in symbols.values():
    if s.get("Outside"): continue
    s["At"] = [{"File": f, "Line": l, "Col": c} for f, l, c in s["At"]]
    out.append(s)
json.dump(out, sys.stdout)

"""Prints the uses of each name of Python files that the scopes and imports of the language decide.

Attributes of objects are left out: no compiler knows them. So are parameters that any call names."""
import ast, json, os, re, sys

files = [os.path.relpath(os.path.join(d, f), '.') for top in sys.argv[1:] for d, _, fs in os.walk(top) for f in fs if f.endswith('.py')]
trees = {f: ast.parse(open(f, encoding='utf-8').read()) for f in files}
lines = {f: open(f, encoding='utf-8').read().split('\n') for f in files}

def module_name(f):
    parts = f[:-3].split('/')
    if parts[0] == 'src': parts = parts[1:]
    elif parts[0] == 'tests': parts = parts[1:]
    if parts[-1] == '__init__': parts = parts[:-1]
    return '.'.join(parts)
modules = {module_name(f): f for f in files}

class Symbol:
    def __init__(self, name, local, param=False):
        self.name, self.local, self.param, self.at, self.alias = name, local, param, [], None
    def root(self):
        seen = self
        while isinstance(seen.alias, tuple):
            mod, name = seen.alias
            target = globals_of.get(mod, {}).get(name)
            if target is None: return seen
            seen = target
        return seen

class Scope:
    def __init__(self, kind, parent):
        self.kind, self.parent, self.names, self.globals, self.nonlocals = kind, parent, {}, set(), set()
    def module(self):
        s = self
        while s.parent: s = s.parent
        return s
    def bind(self, name, **kw):
        if name in self.globals: return self.module().bind(name)
        if name in self.nonlocals:
            s = self.parent
            while s and name not in s.names: s = s.parent
            return s.names[name]
        if name not in self.names: self.names[name] = Symbol(name, self.kind == 'function', **kw)
        return self.names[name]
    def find(self, name):
        if name in self.globals: return self.module().names.get(name)
        s, first = self, True
        while s:
            if name in s.names and (first or s.kind != 'class'): return s.names[name]
            s, first = s.parent, False

globals_of, keywords, quoted = {}, set(), set()
for t in trees.values():
    for n in ast.walk(t):
        if isinstance(n, ast.Call): keywords |= {k.arg for k in n.keywords}
        if isinstance(n, ast.Constant) and isinstance(n.value, str): quoted |= set(re.findall(r'\w+', n.value))

class Pass(ast.NodeVisitor):
    """The first pass binds names, the second one resolves uses."""
    def __init__(self, f, scope, first, scopes):
        self.f, self.scope, self.first, self.scopes = f, scope, first, scopes
        self.in_class_member = False
    def put(self, sym, line, col):
        if sym and not self.first: sym.root().at.append((self.f, line, col + 1))
    def name_in_line(self, node, name, start=0, line=None):
        # the place of a name that the tree has no node for
        line = line or node.lineno
        text = lines[self.f][line - 1].encode()
        m = re.compile(rb'(?<![\w])' + name.encode() + rb'(?![\w])').search(text, start)
        return (line, m.start()) if m else None
    def sub(self, node, kind, body):
        outer = self.scope
        self.scope = self.scopes.setdefault((node, kind), Scope(kind, outer))
        if self.first:
            for n in body_nodes(node, kind):
                if isinstance(n, ast.Global): self.scope.globals |= set(n.names)
                if isinstance(n, ast.Nonlocal): self.scope.nonlocals |= set(n.names)
        body()
        self.scope = outer
    def annotation(self, node):
        if node is None: return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try: e = ast.parse(node.value, mode='eval')
            except SyntaxError: return
            for n in ast.walk(e):
                if isinstance(n, ast.Name) and not self.first:
                    self.put(self.scope.find(n.id), node.lineno, node.col_offset + 1 + n.col_offset)
                if isinstance(n, ast.Attribute): pass
            return
        if isinstance(node, ast.Subscript):
            self.visit(node.value)
            if isinstance(node.slice, ast.Tuple):
                for x in node.slice.elts: self.annotation(x)
            else: self.annotation(node.slice)
            return
        self.visit(node)
    def function(self, node):
        for d in getattr(node, 'decorator_list', []): self.visit(d)
        a = node.args
        for d in a.defaults + [d for d in a.kw_defaults if d]: self.visit(d)
        every = a.posonlyargs + a.args + [x for x in [a.vararg] if x] + a.kwonlyargs + [x for x in [a.kwarg] if x]
        for x in every: self.annotation(x.annotation)
        self.annotation(getattr(node, 'returns', None))
        def body():
            for x in every:
                self.put(self.scope.bind(x.arg, param=True), x.lineno, x.col_offset)
            if isinstance(node.body, list):
                for n in node.body: self.visit(n)
            else: self.visit(node.body)
        self.sub(node, 'function', body)
    def declare(self, node, word):
        sym = self.scope.bind(node.name)
        if self.scope.kind == 'class': sym.member = True
        p = self.name_in_line(node, node.name, node.col_offset + len(word))
        if p: self.put(sym, *p)
    def visit_FunctionDef(self, node):
        self.declare(node, 'def'); self.function(node)
    def visit_AsyncFunctionDef(self, node):
        self.declare(node, 'async def'); self.function(node)
    visit_Lambda = function
    def visit_ClassDef(self, node):
        self.declare(node, 'class')
        for n in node.decorator_list + node.bases + [k.value for k in node.keywords]: self.visit(n)
        def body():
            for n in node.body: self.visit(n)
        self.sub(node, 'class', body)
    def comprehension(self, node):
        self.visit(node.generators[0].iter)
        def body():
            for i, g in enumerate(node.generators):
                self.visit(g.target)
                if i: self.visit(g.iter)
                for c in g.ifs: self.visit(c)
            for part in ('elt', 'key', 'value'):
                if hasattr(node, part): self.visit(getattr(node, part))
        self.sub(node, 'function', body)
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension
    def visit_NamedExpr(self, node):
        outer = self.scope
        self.visit(node.value); self.visit(node.target)
    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load): sym = self.scope.find(node.id)
        else: sym = self.scope.bind(node.id)
        if sym and self.scope.kind == 'class' and sym is self.scope.names.get(node.id): sym.member = True
        self.put(sym, node.lineno, node.col_offset)
    def visit_AnnAssign(self, node):
        self.annotation(node.annotation)
        if node.value: self.visit(node.value)
        self.visit(node.target)
    def visit_ExceptHandler(self, node):
        if node.type: self.visit(node.type)
        if node.name:
            p = self.name_in_line(node, node.name, node.type.end_col_offset, node.type.end_lineno)
            sym = self.scope.bind(node.name)
            if p: self.put(sym, *p)
        for n in node.body: self.visit(n)
    def visit_Global(self, node):
        p = [self.name_in_line(node, n) for n in node.names]
        for n, q in zip(node.names, p):
            if q: self.put(self.scope.find(n) or self.scope.module().bind(n), *q)
    visit_Nonlocal = visit_Global
    def base(self, node):
        here = module_name(self.f).split('.')
        if self.f.endswith('__init__.py'): here = here + ['']
        return '.'.join(here[:len(here) - node.level] + ([node.module] if node.module else [])) if node.level else node.module
    def visit_ImportFrom(self, node):
        mod = self.base(node)
        for a in node.names:
            if a.name == '*': continue
            bound = a.asname or a.name
            sym = self.scope.bind(bound)
            if mod in modules:
                inner = mod + '.' + a.name
                sym.alias = inner if inner in modules and a.name not in globals_of.get(mod, {}) else (mod, a.name)
            if isinstance(sym.alias, tuple):
                target = globals_of.get(mod, {}).get(a.name)
                if target: self.put(target, a.lineno, a.col_offset)
                if a.asname and a.asname == a.name and target: self.put(target, a.lineno, a.end_col_offset - len(a.asname.encode()))
                elif a.asname: self.put_own(sym, a)
            else: self.put_own(sym, a)
    def put_own(self, sym, a):
        sym.imported = True
    def visit_Import(self, node):
        for a in node.names:
            sym = self.scope.bind(a.asname or a.name.split('.')[0])
            sym.imported = True
            sym.alias = a.name if a.asname else a.name.split('.')[0]
    def visit_Attribute(self, node):
        self.visit(node.value)
        mod = self.module_of(node.value)
        if mod in modules and not self.first:
            target = globals_of[mod].get(node.attr)
            if target: self.put(target, node.end_lineno, node.end_col_offset - len(node.attr.encode()))
    def module_of(self, node):
        if isinstance(node, ast.Name):
            s = self.scope.find(node.id)
            return s.alias if s and isinstance(s.alias, str) else None
        if isinstance(node, ast.Attribute):
            m = self.module_of(node.value)
            if m is None: return None
            s = globals_of.get(m, {}).get(node.attr)
            if s and isinstance(s.alias, str): return s.alias
            return m + '.' + node.attr if m + '.' + node.attr in modules else None
    def visit_Call(self, node):
        self.visit(node.func)
        for i, a in enumerate(node.args):
            f = node.func
            if i == 0 and (isinstance(f, ast.Attribute) and f.attr == 'cast' or isinstance(f, ast.Name) and f.id == 'cast'): self.annotation(a)
            else: self.visit(a)
        for k in node.keywords: self.visit(k.value)
    def visit_MatchAs(self, node): self.generic_visit(node); node.name and self.scope.bind(node.name)

def body_nodes(node, kind):
    todo = list(node.body) if isinstance(getattr(node, 'body', None), list) else []
    while todo:
        n = todo.pop()
        yield n
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)): todo += ast.iter_child_nodes(n)

every = {}
for first in (True, False):
    for f, t in trees.items():
        scopes = every.setdefault(f, {})
        top = scopes.setdefault('top', Scope('module', None))
        globals_of[module_name(f)] = top.names
        p = Pass(f, top, first, scopes)
        for n in t.body: p.visit(n)
out = []
for scopes in every.values():
    for s in scopes.values():
        for sym in s.names.values():
            if sym.root() is not sym or getattr(sym, 'member', False) or getattr(sym, 'imported', False) or isinstance(sym.alias, str): continue
            if sym.param and sym.name in keywords or not sym.at or sym.name.startswith('__'): continue
            out.append({"Name": sym.name, "Local": sym.local, "Fixed": sym.name in quoted, "At": [{"File": f, "Line": l, "Col": c} for f, l, c in dict.fromkeys(sym.at)]})
json.dump(out, sys.stdout)

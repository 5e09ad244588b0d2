// Command mutate breaks lines that changed since a commit, one at a time. It lists the broken lines
// for which all tests of their package still pass.
//
//	go run ./scripts/mutate [-since COMMIT] [-n MUTANTS] [-seed SEED] [FOLDER or FILE…]
//
// Since the empty tree, $(git hash-object -t tree /dev/null), all lines have changed.
//
// The working tree stays unchanged. The compiler reads a broken file in place of the real one.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	since := flag.String("since", "HEAD~1", "the commit whose successors' lines are broken")
	n := flag.Int("n", 20, "how many mutants are tried")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "which are chosen")
	flag.Parse()
	survivors, err := run(*since, *n, *seed, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		os.Exit(2)
	}
}

func run(since string, n int, seed uint64, paths []string) (survivors int, err error) {
	diff, err := exec.Command("git", append([]string{"diff", "-U0", "--no-color", "--no-prefix", since, "--"}, paths...)...).Output()
	if err != nil {
		return 0, fmt.Errorf("git diff %s: %w", since, err)
	}
	var mutants []mutant
	for file, lines := range changed(string(diff)) {
		found, err := mutantsOf(file, lines)
		if err != nil {
			return 0, err
		}
		mutants = append(mutants, found...)
	}
	slices.SortFunc(mutants, func(a, b mutant) int { return strings.Compare(a.String(), b.String()) })
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	fmt.Printf("%d mutants of the lines since %s; seed %d\n", len(mutants), since, seed)
	tried := 0
	for _, m := range mutants {
		if tried == n {
			break
		}
		verdict, err := m.try()
		if err != nil {
			return survivors, err
		}
		if verdict == invalid {
			continue
		}
		tried++
		if verdict == survived {
			survivors++
			fmt.Println("survived:", m)
		}
	}
	fmt.Printf("%d tried, %d survived\n", tried, survivors)
	return survivors, nil
}

// changed returns the numbers of the lines that a diff without context adds, by file.
func changed(diff string) map[string]map[int]bool {
	lines := map[string]map[int]bool{}
	file := ""
	for line := range strings.Lines(diff) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = name
		}
		if !strings.HasPrefix(line, "@@ ") || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		from, count, more := strings.Cut(strings.TrimPrefix(strings.Fields(line)[2], "+"), ",")
		first, _ := strconv.Atoi(from)
		added := 1
		if more {
			added, _ = strconv.Atoi(count)
		}
		if lines[file] == nil {
			lines[file] = map[int]bool{}
		}
		for i := range added {
			lines[file][first+i] = true
		}
	}
	return lines
}

// mutant replaces the bytes [from, to) of a file.
type mutant struct {
	file     string
	line     int
	from, to int
	was, is  string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s -> %s", m.file, m.line, oneLine(m.was), oneLine(m.is))
}

func oneLine(text string) string {
	const most = 60
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = text[:most] + "..."
	}
	return text
}

// opposite maps operators to the operators that replace them.
var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

// mutantsOf returns the mutants of some lines of a file.
func mutantsOf(file string, lines map[int]bool) (mutants []mutant, err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(pos, end token.Pos, is string) {
		from, to := files.Position(pos), files.Position(end)
		if lines[from.Line] {
			mutants = append(mutants, mutant{file, from.Line, from.Offset, to.Offset, string(source[from.Offset:to.Offset]), is})
		}
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			if other, ok := opposite[node.Op]; ok {
				add(node.OpPos, node.OpPos+token.Pos(len(node.Op.String())), other.String())
			}
		case *ast.IfStmt:
			from, to := files.Position(node.Cond.Pos()).Offset, files.Position(node.Cond.End()).Offset
			add(node.Cond.Pos(), node.Cond.End(), "!("+string(source[from:to])+")")
			add(node.Body.Pos()+1, node.Body.End()-1, "")
		case *ast.ExprStmt:
			add(node.Pos(), node.End(), "")
		case *ast.Ident:
			if other, ok := map[string]string{"true": "false", "false": "true"}[node.Name]; ok {
				add(node.Pos(), node.End(), other)
			}
		case *ast.BasicLit:
			if node.Kind == token.INT {
				add(node.Pos(), node.End(), "("+node.Value+"+1)")
			}
		}
		return true
	})
	return mutants, nil
}

type verdict int

const (
	killed verdict = iota
	survived
	invalid // the mutant does not compile
)

// try runs the tests of the mutant's package with the mutant.
func (m mutant) try() (verdict, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return invalid, err
	}
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return invalid, err
	}
	defer os.RemoveAll(folder)
	path, err := filepath.Abs(m.file)
	if err != nil {
		return invalid, err
	}
	broken := filepath.Join(folder, "broken.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		return invalid, err
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(broken, slices.Concat(source[:m.from], []byte(m.is), source[m.to:]), 0o600); err != nil {
		return invalid, err
	}
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return invalid, err
	}
	test := exec.Command("go", "test", "-overlay", list, "-vet=off", "-short", "-timeout", "3m", "./"+filepath.Dir(m.file))
	output, err := test.CombinedOutput()
	switch {
	case bytes.Contains(output, []byte("[build failed]")):
		return invalid, nil
	case err != nil:
		return killed, nil
	}
	return survived, nil
}

package cmdline

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/base/lazyregexp"
)

// A Core is the rest of a line without the cd commands before it and the pipes at its end that cut
// its output. Two lines with the same effect have the same core.
type Core struct {
	// Text is the core with single spaces between its words.
	Text string
	// Pipe holds the words of each command if the core is one pipe of literal words. Otherwise it
	// is nil.
	Pipe [][]string
	// Ends lists the pipes to head and tail, the last first.
	Ends []HeadTail
	// Merged is set if the pipes also receive standard error. Silent is set if standard error is
	// discarded.
	Merged, Silent bool
}

// An HeadTail is a pipe to head or tail with a number of lines.
type HeadTail struct {
	Program string
	Lines   int
}

// WithoutFolder returns the line without the cd commands at its start.
func (r *CommandLine) WithoutFolder() *CommandLine {
	if _, rest, ok := r.SplitCd(); ok {
		return Read(rest).WithoutFolder()
	}
	if r.err == nil && len(r.file.Stmts) > 1 {
		if to := literalWords(r.file.Stmts[0]); len(to) == 2 && to[0] == "cd" {
			return Read(r.line[r.file.Stmts[1].Pos().Offset():]).WithoutFolder()
		}
	}
	return r
}

// Core returns the core of the line.
func (r *CommandLine) Core() Core {
	var core Core
	rest := r.WithoutFolder()
	for {
		shorter, ok := core.cut(rest)
		if !ok {
			break
		}
		rest = Read(shorter)
	}
	core.Text = strings.Join(strings.Fields(rest.line), " ")
	if rest.err != nil || len(rest.file.Stmts) != 1 {
		return core
	}
	for _, part := range pipeParts(rest.file.Stmts[0]) {
		words := literalWords(part)
		if words == nil {
			core.Pipe = nil
			break
		}
		core.Pipe = append(core.Pipe, words)
	}
	return core
}

// cut removes the last pipe to head or tail from the end of a line, and returns the rest. It
// returns false if there is no such pipe.
func (c *Core) cut(r *CommandLine) (rest string, ok bool) {
	if r.err != nil || len(r.file.Stmts) == 0 {
		return "", false
	}
	stmt := r.file.Stmts[len(r.file.Stmts)-1]
	if strings.TrimSpace(r.line[stmt.End().Offset():]) != "" || stmt.Background {
		return "", false
	}
	var pipe *syntax.BinaryCmd
	for {
		both, is := stmt.Cmd.(*syntax.BinaryCmd)
		if !is {
			break
		}
		pipe, stmt = both, both.Y
	}
	if n := len(stmt.Redirs); n > 0 {
		last := stmt.Redirs[n-1]
		if last.N == nil || last.N.Value != "2" || last.Word == nil || last.End() != stmt.End() {
			return "", false
		}
		merged, silent := last.Op == syntax.DplOut && last.Word.Lit() == "1", last.Op == syntax.RdrOut && last.Word.Lit() == "/dev/null"
		c.Merged, c.Silent = c.Merged || merged, c.Silent || silent
		return r.line[:last.Pos().Offset()], merged || silent
	}
	if pipe == nil || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll {
		return "", false
	}
	to, files := ParseHeadTail(literalWords(stmt))
	if to.Lines == 0 || len(files) > 0 {
		return "", false
	}
	c.Ends, c.Merged = append(c.Ends, to), c.Merged || pipe.Op == syntax.PipeAll
	return r.line[:pipe.X.End().Offset()], true
}

// headCount matches the first option of head or tail with a number of lines.
var headCount = lazyregexp.New(`^-n?(\d+)$`)

// ParseHeadTail parses a call of head or tail whose first option is a number of lines. It returns the zero
// End for any other call. files are the words after the number.
func ParseHeadTail(call []string) (end HeadTail, files []string) {
	if len(call) < 2 || path.Base(call[0]) != "head" && path.Base(call[0]) != "tail" {
		return HeadTail{}, nil
	}
	first, rest := call[1], call[2:]
	if first == "-n" && len(rest) > 0 {
		first, rest = "-"+strings.TrimPrefix(rest[0], "-"), rest[1:]
	}
	count := headCount.FindStringSubmatch(first)
	if count == nil {
		return HeadTail{}, nil
	}
	lines, err := strconv.Atoi(count[1])
	if err != nil {
		return HeadTail{}, nil
	}
	return HeadTail{path.Base(call[0]), lines}, rest
}

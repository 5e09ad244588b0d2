package cacheaware

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/cmdline"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// Effect is the effect of a tool, as far as pruning depends on it.
type Effect int

// The effects. The zero value is the effect of an unknown tool, whose results count as search results.
const (
	// EffectSearch is a search, a listing, a web page, or an unknown tool.
	EffectSearch Effect = iota
	// EffectView shows a file or lines of it.
	EffectView
	// EffectWrite sets the whole content of a file.
	EffectWrite
	// EffectEdit changes part of a file.
	EffectEdit
	// EffectShell runs a command.
	EffectShell
	// EffectKeep stores data of the tool, such as a todo list, or asks the user.
	EffectKeep
)

// EffectOf returns the effect of a tool.
func EffectOf(tool toolspec.Traits) Effect {
	switch named := len(tool.File) > 0; {
	case len(tool.Command) > 0:
		return EffectShell
	case tool.Edits && named && len(tool.Body) > 0:
		return EffectWrite
	case tool.Edits && (named || len(tool.Patch) > 0):
		return EffectEdit
	case tool.Edits, tool.Stateful, tool.Asks:
		return EffectKeep
	case tool.Reads && named:
		return EffectView
	}
	return EffectSearch
}

// lastLine represents the end of a file.
const lastLine = math.MaxInt32

// A fact describes one call. The result of the call completes the fact.
type fact struct {
	name string
	act  Effect
	// paths lists the absolute paths of the files that the call names; the first is the main one.
	paths []string
	// lo and hi are the first and last lines that a view shows.
	lo, hi int
	// edits lists the replacements of an edit.
	edits []edit
	// key is equal for equal calls; it is empty for calls on files.
	key string
	// source identifies the source of the result's content (history.MetaKey). Newer content of the
	// source replaces the result. A repeated call does not.
	source string
	// line is the command of a shell call, and cut describes how much of its output it shows. checks is
	// set if the command tests, builds or lints.
	line   string
	cut    outputCut
	checks bool
	ok     bool
	// shows is set if the call ran, so that its result replaces an earlier one. A refused call has no
	// such result.
	shows bool
	// content is the text that a view shows or a write writes, without line numbers.
	content string
	// inShell is set for a view or a patch made by a plain shell command. fragment is set for a
	// view whose range of lines is unknown.
	inShell, fragment bool
	headed            bool
	// hash is the hash of the file after the call, or "" if the result does not record it.
	hash string

	// olds, news, bodies and args contain the units of the call's long arguments. head is the unit of
	// the rest of the call. result is the unit of its result, or -1.
	olds, news, bodies, args []int
	head, result             int
	// short is set if an argument of an edit or a write is too short to be shortened.
	short bool
	// covered is set if later calls show all content that this call showed.
	covered bool
	// reread is the first request that contains a later view of the same lines, or 0.
	reread int
	// repeats is set if a view shows only text that is still in the context.
	repeats bool
	// searches is set for a web search. page is the address of a web page that was read.
	searches bool
	page     string
	// reports is set for an answer that is the report of an agent. changes lists the files that the
	// report names as changed (D-126). heading is the beginning of a report or of a search, which is
	// kept.
	reports bool
	changes []string
	heading string
	// asked is set for the result of a server that the latest human message names.
	asked bool
	// stale lists the views and bodies that contain text which this edit replaced.
	stale []int
	// unknown is set for an edit whose new text was replaced by a pointer or a note.
	unknown bool
	// editsBefore is the number of edits that had been applied before this call.
	editsBefore int
}

// An edit is a replacement in a file. in is the position of its texts among the parameters, which
// models write in any order.
type edit struct {
	path, before, after string
	in                  jsontext.Pointer
}

func (f *fact) path() string {
	if len(f.paths) == 0 {
		return ""
	}
	return f.paths[0]
}

// wholeView reports whether f shows a file from its first to its last line.
func (f *fact) wholeView() bool { return f.act == EffectView && f.lo == 1 && f.hi == lastLine }

// newFact describes a call that is about to run. Relative paths are resolved in root.
func newFact(call *history.ToolCall, tool toolspec.Traits, root string) *fact {
	f := &fact{name: call.Name, act: EffectOf(tool), reports: tool.Reports, lo: 1, hi: lastLine, result: -1}
	resolve := func(p string) string { return history.Absolute(root, p) }
	if f.act == EffectView || f.act == EffectWrite || f.act == EffectEdit {
		for _, p := range tool.FilesOf(call) {
			f.addPath(resolve(p))
		}
	}
	switch f.act {
	case EffectView:
		f.lines(call, tool)
	case EffectShell:
		f.command(textArg(call, tool.Command), resolve)
	case EffectSearch:
		f.key = call.Name + string(call.Parameters)
	}
	switch given := textArg(call, []string{tool.Key}); {
	case tool.Searches:
		f.searches, f.key = true, call.Name+" "+strings.ToLower(given)
		return f
	case tool.OnlyUsesNetwork():
		f.page = given
	}
	if f.act != EffectShell && len(f.paths) == 0 && f.act != EffectEdit && f.act != EffectKeep {
		f.act, f.key = EffectSearch, call.Name+string(call.Parameters)
	}
	return f
}

// lines sets the range of lines that a call reads or edits.
func (f *fact) lines(call *history.ToolCall, tool toolspec.Traits) {
	f.headed, f.fragment = tool.Headed, tool.Fragment
	if tool.Fragment {
		f.hi = lastLine - 1 // the edit covers part of the file, not all of it
		return
	}
	if from := number(call, tool.From); from > 1 {
		f.lo = from
	}
	if to := number(call, tool.To); to > 0 {
		f.hi = to
	} else if count := number(call, tool.Count); count > 0 {
		f.hi = f.lo + count - 1
	}
}

// command turns a shell call into a view or an edit, if the command has no other effect.
func (f *fact) command(line string, resolve func(string) string) {
	if shellPatch(line) {
		f.act, f.inShell = EffectEdit, true // take parses the patch
		return
	}
	core := cmdline.Read(line).Core()
	f.line, f.key, f.checks = line, core.Text, checks.MatchString(core.Text)
	f.cut = outputCut{core.Ends, core.Merged, core.Silent}
	if file, lo, hi, ok := shellView(core); ok {
		f.act, f.inShell, f.paths, f.lo, f.hi = EffectView, true, []string{resolve(file)}, lo, hi
		f.key = ""
	}
}

// answer completes f with the response to its call, and with the View in the result's metadata.
func (f *fact) answer(response *history.ToolResponse, shown history.View) {
	f.ok = response.Error == ""
	f.shows = f.ok || f.act == EffectShell && (response.ExitCode != nil || response.Result.Text() != "")
	if response.ExitCode != nil && (f.act == EffectShell || f.inShell) {
		f.ok = *response.ExitCode == 0
	}
	if f.act == EffectEdit && response.ExitCode == nil && refused.MatchString(response.Result.Text()) {
		f.ok = false
	}
	if f.act == EffectView {
		f.content = TrimLineNumbers(response.Result.Text())
		if heading, rest, ok := strings.Cut(f.content, "\n"); f.headed && ok && strings.HasPrefix(heading, "[") && strings.HasSuffix(heading, "]") {
			f.hi = f.lo + max(0, strings.Count(strings.TrimSuffix(rest, "\n"), "\n"))
			f.content = rest
		}
		if f.inShell && cutShort.MatchString(f.content) {
			f.fragment, f.hi = true, min(f.hi, lastLine-1)
		}
	}
	if first, _, more := strings.Cut(response.Result.Text(), "\n"); f.searches && f.ok && more {
		f.heading = first + "\n"
	}
	if f.reports {
		f.changes, f.heading = toolspec.ParseReport(response.Result.Text())
		if response.Error != "" && f.heading == "" { // an agent that failed, or a call that an older version answered after its end
			f.changes, _ = toolspec.ParseReport(response.Error)
		}
	}
	f.applyRecord(shown)
}

// applyRecord applies the View in the result's metadata, which is more reliable than the arguments of
// the call.
func (f *fact) applyRecord(shown history.View) {
	if shown.Path == "" || len(f.paths) > 1 {
		return
	}
	for i := range f.edits {
		f.edits[i].path = shown.Path
	}
	f.paths, f.hash = []string{shown.Path}, shown.Hash
	switch {
	case f.act != EffectView || f.fragment:
	case shown.Whole:
		f.lo, f.hi = 1, lastLine
	case shown.From == 0:
		f.fragment, f.lo, f.hi = true, 1, lastLine-1
	default:
		f.lo, f.hi = shown.From, shown.To
	}
}

// textArg returns the first of the named arguments that is a text, or the last text of a list. It
// returns "" if there is none.
func textArg(call *history.ToolCall, names []string) string {
	for _, name := range names {
		value, _ := call.Arg(name)
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[len(list)-1]
		}
		if text, ok := value.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// number returns the first of the named arguments that is a number, or 0 if there is none.
func number(call *history.ToolCall, names []string) int {
	for _, name := range names {
		switch n, _ := call.Arg(name); n := n.(type) {
		case float64:
			return int(n)
		case json.Number:
			i, _ := n.Int64()
			return int(i)
		}
	}
	return 0
}

// TrimLineNumbers removes the line numbers that tools put before the lines of a file ("  12|", "12→",
// "12\t"). It changes the text only if at least half of the lines have a number.
func TrimLineNumbers(text string) string {
	var plain strings.Builder
	plain.Grow(len(text))
	lines, numbered := 0, 0
	for line := range strings.Lines(text) {
		lines++
		rest, ok := cutNumber(line)
		if ok {
			numbered++
		}
		plain.WriteString(rest)
	}
	if numbered*2 < lines {
		return text
	}
	return plain.String()
}

func cutNumber(line string) (string, bool) {
	rest := strings.TrimLeft(line, " ")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return line, false
	}
	for _, mark := range []string{"|", "→", "\t"} {
		if after, ok := strings.CutPrefix(rest[digits:], mark); ok {
			return after, true
		}
	}
	return line, false
}

package tui

import (
	"strings"

	"agent/internal/tui/style"
	"agent/internal/words"
)

// verbs are what tools do, in words: what runs now, what was done, and what was to be
// done and was not. Tools that are not listed go by their name.
var verbs = map[string]struct{ now, done, do string }{
	"read_file":           {"reading", "read", "read"},
	"read_line_range":     {"reading", "read", "read"},
	"read_many_files":     {"reading", "read", "read"},
	"ast_read_file":       {"reading", "read", "read"},
	"write_file":          {"writing", "wrote", "write"},
	"replace":             {"editing", "edited", "edit"},
	"ast_edit":            {"editing", "edited", "edit"},
	"insert_at_line":      {"editing", "edited", "edit"},
	"delete_line_range":   {"editing", "edited", "edit"},
	"run_shell_command":   {"running", "ran", "run"},
	"search_file_content": {"searching", "searched", "search"},
	"glob":                {"finding", "found", "find"},
	"list_directory":      {"listing", "listed", "list"},
	"web_fetch":           {"fetching", "fetched", "fetch"},
	"todo_write":          {"planning", "planned", "plan"},
	"todo_read":           {"reading the plan", "read the plan", "read the plan"},
	"recall":              {"recalling", "recalled", "recall"},
}

// readVerb is the verb of calls that are shown together.
const readVerb = "read"

// called is a call in words: its verb, and what it is about.
type called struct{ now, done, do, subject string }

// describe puts a call in words. title is the tool's name and its key parameter.
func describe(name, title string) called {
	if title == "" {
		title = name
	}
	title = style.Reveal(words.FirstLine(title)).Text
	subject, named := strings.CutPrefix(title, name)
	verb, known := verbs[name]
	if !named || !known {
		first, rest, _ := strings.Cut(title, " ")
		return called{first, first, first, rest}
	}
	subject = strings.TrimSpace(subject)
	if job, about := strings.CutPrefix(subject, "(job "); about && name == "run_shell_command" {
		number, _, _ := strings.Cut(strings.TrimSuffix(job, ")"), ",")
		return called{"looking at", "looked at", "look at", "job " + number}
	}
	return called{verb.now, verb.done, verb.do, subject}
}

// coming is a call that the model is writing.
func (c called) coming() string { return "next: " + c.now }

// running, ended and notDone are the call in words while it runs, after it, and when it
// came to nothing.
func (c called) running() string { return c.with(c.now) }
func (c called) ended() string   { return c.with(c.done) }
func (c called) notDone() string { return c.with(c.do) }

func (c called) with(verb string) string {
	if c.subject == "" {
		return verb
	}
	return verb + " " + c.subject
}

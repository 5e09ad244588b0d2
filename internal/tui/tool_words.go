package tui

import (
	"strings"

	"agent/internal/tui/style"
	"agent/internal/words"
)

// verbs are what tools do, in words: what runs now, and what was done. Tools that are
// not listed go by their name.
var verbs = map[string]struct{ now, done string }{
	"read_file":           {"reading", "read"},
	"read_line_range":     {"reading", "read"},
	"read_many_files":     {"reading", "read"},
	"ast_read_file":       {"reading", "read"},
	"write_file":          {"writing", "wrote"},
	"replace":             {"editing", "edited"},
	"ast_edit":            {"editing", "edited"},
	"insert_at_line":      {"editing", "edited"},
	"delete_line_range":   {"editing", "edited"},
	"run_shell_command":   {"running", "ran"},
	"search_file_content": {"searching", "searched"},
	"glob":                {"finding", "found"},
	"list_directory":      {"listing", "listed"},
	"web_fetch":           {"fetching", "fetched"},
	"todo_write":          {"planning", "planned"},
	"recall":              {"recalling", "recalled"},
}

// readVerb is the verb of calls that are shown together.
const readVerb = "read"

// called is a call in words: its verb, and what it is about.
type called struct{ now, done, subject string }

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
		return called{first, first, rest}
	}
	return called{verb.now, verb.done, strings.TrimSpace(subject)}
}

// coming is a call that the model is writing.
func (c called) coming() string { return "next: " + c.now }

// text is the call in words, while it runs or after.
func (c called) text(done bool) string {
	verb := c.now
	if done {
		verb = c.done
	}
	if c.subject == "" {
		return verb
	}
	return verb + " " + c.subject
}

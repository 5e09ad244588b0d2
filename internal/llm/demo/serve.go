package demo

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"agent/internal/pattern"
	"agent/internal/words"
)

const (
	what = "I am the demo model: a script inside this program, without intelligence. The tools, the files and the context are real, so you can see how the program works. For real work set `OPENAI_API_KEY`, or `--base-url` for another endpoint."
	can  = "What I can do:\n\n" +
		"- `repair till.sh`: a short job on this project, with a mistake on the way\n" +
		"- `read FILE`, `list`, `search WORD`\n" +
		"- `replace A with B in FILE`\n" +
		"- `run COMMAND`\n" +
		"- `what is in my context`\n"
)

// service is one kind of plain request.
type service struct {
	pattern *pattern.Pattern
	// answer is the next step for the request; match are the pattern's groups.
	answer func(c conversation, r request, match []string) reply
}

// services are tried in this order.
var services = []service{
	{pattern.New(`(?i)^(help|hi|hello|hey|\?|who are you\b.*|what can you do\b.*)\W*$`), help},
	{pattern.New(`(?i)^(show |what(’s|'s| is)? ).*\bcontext\b`), inspect},
	{pattern.New(`(?i)^(?:please )?read (?:the file )?(\S+|".+")$`), read},
	{pattern.New(`(?is)^(?:please )?replace (.+) with (.*) in (?:the file )?(\S+|"[^"]+")$`), replace},
	{pattern.New(`(?is)^(?:please )?run (.+)$`), run},
	{pattern.New(`(?i)^(?:please )?(?:list|ls)(?: (?:the )?files)?(?: (?:in )?(\S+))?$`), list},
	{pattern.New(`(?i)^(?:please )?(?:search|grep|find)(?: for)? (.+)$`), search},
	{goOn, nothingToGoOn},
}

// isRequest reports whether typed is one of the plain requests.
func isRequest(typed string) bool {
	return slices.ContainsFunc(services, func(s service) bool { return s.pattern.MatchString(typed) })
}

// serve is the next step for a plain request.
func (c conversation) serve(r request, asked string) reply {
	for _, s := range services {
		if match := s.pattern.FindStringSubmatch(asked); match != nil {
			return s.answer(c, r, match)
		}
	}
	return reply{text: fmt.Sprintf("You wrote: “%s”. A real model would make something of it; I cannot.\n\n%s\n\n%s", words.Line(asked, maxQuoted), what, can)}
}

func help(conversation, request, []string) reply { return reply{text: what + "\n\n" + can} }

func nothingToGoOn(conversation, request, []string) reply {
	return reply{text: "There is nothing I could go on with. Say `repair till.sh` to start the job."}
}

// once makes a call, and then says what came of it.
func (c conversation) once(do call, subject, before string, after func(answer string) string) reply {
	f, done := latest(c.since(c.asked), do.tool, subject)
	switch {
	case !done:
		return reply{text: before, calls: []call{do}}
	case f.failed():
		return failure(f)
	}
	return reply{text: after(f.answer)}
}

func read(c conversation, _ request, match []string) reply {
	name := unquote(match[1])
	return c.once(readFile(name), name, "I read `"+name+"`.", func(answer string) string {
		return fmt.Sprintf("`%s` is in the context now, %s. It begins:\n\n%s", name, lineCount(answer), fenced(answer))
	})
}

// replace reads the file first, as a careful model does; the edit makes that
// reading stale.
func replace(c conversation, _ request, match []string) reply {
	from, to, name := unquote(match[1]), unquote(match[2]), unquote(match[3])
	facts := c.since(c.asked)
	if f, done := latest(facts, toolReplace, name); done {
		if f.failed() {
			return failure(f)
		}
		stale := "is out of date and gone from the context already"
		if _, still := latest(facts, toolRead, name); still {
			stale = "is out of date but still in the context, so density is off"
		}
		return reply{text: fmt.Sprintf("Done. The answer of the edit shows the place:\n\n%s\n\nMy reading of `%s` %s.", fenced(f.answer), name, stale)}
	}
	if f, done := latest(facts, toolRead, name); !done {
		return reply{text: "First I look at `" + name + "`.", calls: []call{readFile(name)}}
	} else if f.failed() {
		return failure(f)
	}
	return reply{text: fmt.Sprintf("I replace `%s` with `%s`.", words.Line(from, maxQuoted), words.Line(to, maxQuoted)), calls: []call{replaceIn(name, from, to)}}
}

func run(c conversation, _ request, match []string) reply {
	command := unquote(match[1])
	return c.once(runCommand(command), command, "I run it.", func(answer string) string {
		return fmt.Sprintf("The command answered with %s:\n\n%s", lineCount(answer), fenced(answer))
	})
}

func list(c conversation, _ request, match []string) reply {
	folder := cmp.Or(unquote(match[1]), ".")
	return c.once(call{toolList, map[string]string{"path": folder}}, folder, "I look.", fenced)
}

func search(c conversation, _ request, match []string) reply {
	pattern := unquote(match[1])
	if _, err := regexp.Compile(pattern); err != nil {
		pattern = regexp.QuoteMeta(pattern)
	}
	return c.once(call{toolSearch, map[string]string{"pattern": pattern}}, pattern, "I search for `"+pattern+"`.", fenced)
}

// failure reports that a call did not do what was asked, and leaves it at that.
func failure(f fact) reply {
	if f.refused() {
		return reply{text: "It was not allowed, so I leave it. Ask for something else, or `help`."}
	}
	return reply{text: "That did not work:\n\n> " + f.problem()}
}

// unquote drops the quotes or backticks around a word of a request.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, quote := range []string{"`", `"`, "'"} {
		if len(s) >= 2 && strings.HasPrefix(s, quote) && strings.HasSuffix(s, quote) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// maxQuoted is how much of what the user typed is repeated, in characters.
const maxQuoted = 60

// lineCount says how many lines a text has.
func lineCount(text string) string {
	return words.Count(words.Lines(strings.TrimRight(text, "\n")), "line")
}

// fenced is the beginning of a text as a block of code, enough to show that it is there.
func fenced(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("… %d more", more))
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

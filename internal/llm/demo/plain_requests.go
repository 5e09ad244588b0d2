package demo

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

const (
	what = "I am the demo model: a script inside this program, without intelligence. The tools, the files and the context are real, so you can see how the program works. For real work set `OPENAI_API_KEY`, or `--base-url` for another endpoint."
	can  = "What I can do:\n\n" +
		"- `repair till.sh`: a short job on this project, with a mistake on the way\n" +
		"- `read FILE`\n" +
		"- `run COMMAND`\n"
)

// service is a kind of request that the script answers directly.
type service struct {
	pattern *lazyregexp.Pattern
	// answer returns the next step for the request. match contains the groups of the pattern.
	answer func(c conversation, match []string) reply
}

// services lists the requests that the script answers directly, in the order in which they are tried.
var services = []service{
	{lazyregexp.New(`(?i)^(help|hi|hello|hey|\?|who are you\b.*|what can you do\b.*)\W*$`), help},
	{lazyregexp.New(`(?i)^(?:please )?read (?:the file )?(\S+|".+")$`), read},
	{lazyregexp.New(`(?is)^(?:please )?run (.+)$`), run},
	{goOn, nothingToGoOn},
}

// isRequest reports whether a message is one of these requests.
func isRequest(typed string) bool {
	return slices.ContainsFunc(services, func(s service) bool { return s.pattern.MatchString(typed) })
}

func (c conversation) serve(asked string) reply {
	for _, s := range services {
		if match := s.pattern.FindStringSubmatch(asked); match != nil {
			return s.answer(c, match)
		}
	}
	return reply{text: fmt.Sprintf("You wrote: “%s”. A real model would understand that; I am a script.\n\n%s\n\n%s", humanize.Line(asked, maxQuoted), what, can)}
}

func help(conversation, []string) reply { return reply{text: what + "\n\n" + can} }

func nothingToGoOn(conversation, []string) reply {
	return reply{text: "There is nothing to continue. Say `repair till.sh` to start the job."}
}

// answerOnce answers a request that needs one call. The first reply makes the call. Once the call is
// answered, the next reply reports its result.
func (c conversation) answerOnce(do call, subject, before string, after func(answer string) string) reply {
	f, done := latest(c.since(c.asked), do.tool, subject)
	switch {
	case !done:
		return reply{text: before, calls: []call{do}}
	case f.failed():
		return failure(f)
	}
	return reply{text: after(f.answer)}
}

func read(c conversation, match []string) reply {
	name := unquote(match[1])
	return c.answerOnce(readFile(name), name, "I read `"+name+"`.", func(answer string) string {
		return fmt.Sprintf("`%s` is in the context now, %s. It begins:\n\n%s", name, lineCount(answer), fenced(answer))
	})
}

func run(c conversation, match []string) reply {
	command := unquote(match[1])
	return c.answerOnce(runCommand(command), command, "I run it.", func(answer string) string {
		return fmt.Sprintf("The command answered with %s:\n\n%s", lineCount(answer), fenced(answer))
	})
}

// failure reports a failed call and ends the request.
func failure(f fact) reply {
	if f.refused() {
		return reply{text: "You did not allow it, so I skip it. Ask for something else, or say `help`."}
	}
	return reply{text: "That did not work:\n\n> " + f.problem()}
}

// unquote removes the quotes or backticks around a word.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, quote := range []string{"`", `"`, "'"} {
		if len(s) >= 2 && strings.HasPrefix(s, quote) && strings.HasSuffix(s, quote) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// maxQuoted limits the user's words in a reply, in characters.
const maxQuoted = 60

// lineCount returns the number of lines of a text with the noun: "1 line".
func lineCount(text string) string {
	return humanize.Count(humanize.LineCount(strings.TrimRight(text, "\n")), "line")
}

// fenced returns the first lines of a text as a code block.
func fenced(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("… %d more", more))
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

package demo

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// inspect answers "what is in my context" from the request itself: it is what the
// model, any model, was sent.
func inspect(_ conversation, r request, _ []string) reply {
	var b strings.Builder
	b.WriteString("This is what I was sent with your last message:\n\n| part | count | characters | tokens, about |\n|---|---:|---:|---:|\n")
	total := 0
	row := func(name string, count, characters int) {
		if count > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", name, count, characters, approximateTokens(characters))
			total += characters
		}
	}
	tools := 0
	for _, tool := range r.Tools {
		tools += utf8.RuneCount(tool)
	}
	row("tool descriptions", len(r.Tools), tools)
	for _, role := range []string{"system", "user", "assistant", "tool"} {
		count, characters := 0, 0
		for _, m := range r.Messages {
			if m.Role == role {
				count++
				characters += utf8.RuneCountInString(textOf(m))
				for _, call := range m.ToolCalls {
					characters += utf8.RuneCountInString(call.Function.Name + call.Function.Arguments)
				}
			}
		}
		row(role, count, characters)
	}
	fmt.Fprintf(&b, "| **together** | | %d | %d |\n\n", total, approximateTokens(total))
	b.WriteString(visibleReads(newConversation(r.Messages)))
	return reply{text: b.String()}
}

// visibleReads names the files whose readings the request still holds.
func visibleReads(c conversation) string {
	var files []string
	for _, f := range c.facts {
		name, _ := f.args["file_path"].(string)
		if f.name == toolRead && f.answered && !f.failed() && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return "No reading of a file is in it."
	}
	return "Readings of files in it: `" + strings.Join(files, "`, `") + "`. Readings that an edit made stale are gone."
}

package history

import (
	"fmt"
	"strings"
)

// Transcript formats an entry as Markdown, with its speaker, tool calls with their arguments, and
// results in full.
func Transcript(entry *Content) string {
	if entry.Empty() {
		return ""
	}
	var b strings.Builder
	if entry.Speaker != Tool {
		fmt.Fprintf(&b, "## %s\n\n", speakerTitle(entry.Speaker))
	}
	for _, block := range entry.Blocks {
		transcribe(&b, block)
	}
	return b.String()
}

func speakerTitle(s Speaker) string {
	if s == Human {
		return "You"
	}
	return "Agent"
}

func transcribe(b *strings.Builder, block Block) {
	switch block := block.(type) {
	case *Text:
		if block.IncludedFile != "" {
			b.WriteString(CodeBlock(block.Text, "") + "\n")
			return
		}
		b.WriteString(strings.TrimRight(block.Text, "\n") + "\n\n")
	case *ToolCall:
		fmt.Fprintf(b, "**%s**\n\n%s\n", block.Name, CodeBlock(string(block.Parameters), "json"))
	case *ToolResponse:
		fmt.Fprintf(b, "Answer of %s", block.ToolName)
		if block.ExitCode != nil {
			fmt.Fprintf(b, ", exit %d", *block.ExitCode)
		}
		b.WriteString(":\n\n")
		if block.Error != "" {
			fmt.Fprintf(b, "Error: %s\n\n", block.Error)
		}
		if text := block.Result.Text(); text != "" {
			b.WriteString(CodeBlock(text, "") + "\n")
		}
	case *Media:
		fmt.Fprintf(b, "(%s)\n\n", block.MimeType)
	}
}

// CodeBlock returns text as a Markdown code block, whose fence is longer than any run of backticks in the
// text.
func CodeBlock(text, language string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

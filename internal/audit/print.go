package audit

import (
	"fmt"
	"io"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// Print writes the report as Markdown.
func (r *Report) Print(out io.Writer) error {
	var b strings.Builder
	r.markdown(&b, "#")
	_, err := io.WriteString(out, b.String())
	return err
}

// markdown writes the report and the reports of its agents. Their titles have the given level.
func (r *Report) markdown(b *strings.Builder, level string) {
	of := r.ID
	if r.Agent != "" {
		of = "agent " + r.Agent + ", " + r.ID
	}
	fmt.Fprintf(b, "%s Audit of %s\n\n%s\n\n", level, of, code(humanize.Line(r.Title, 100)))
	fmt.Fprintf(b, "- in %s, from %s to %s\n", code(r.Workspace), r.Started.UTC().Format("2006-01-02 15:04:05"), r.Used.UTC().Format("2006-01-02 15:04:05 UTC"))
	fmt.Fprintf(b, "- session log: %s\n", r.chain())
	for _, problem := range r.Problems {
		fmt.Fprintf(b, "- **changed after it was written**: %s\n", code(problem))
	}
	if r.LacksActs {
		b.WriteString("- recorded by an older version, without hooks, checks, servers and their hosts, and files written by undo\n")
	}
	for _, part := range []struct {
		title string
		kind  Kind
	}{{"Read", KindRead}, {"Listed or searched", KindSearch}, {"Written", KindWrite}, {"Run", KindRun}, {"Reached", KindNetwork}, {"MCP tools", KindCall}, {"Decided", KindAsk}} {
		first := true
		for _, e := range r.Events {
			if e.Kind != part.kind {
				continue
			}
			if first {
				fmt.Fprintf(b, "\n%s# %s\n\n", level, part.title)
				first = false
			}
			fmt.Fprintf(b, "- %s %s%s\n", e.At.UTC().Format("15:04:05"), code(e.What), e.details())
		}
	}
	for _, agent := range r.Agents {
		b.WriteString("\n")
		agent.markdown(b, level+"#")
	}
}

// chain describes in a sentence whether the log is unchanged.
func (r *Report) chain() string {
	c := r.Chain
	if len(c.Broken) > 0 {
		lines := strings.Trim(fmt.Sprint(c.Broken), "[]")
		return "**changed after it was written**: a line was changed, removed or inserted directly before line " + strings.ReplaceAll(lines, " ", ", ")
	}
	text := humanize.Count(c.Records-c.Without, "line") + ", each with the hash of the line before it; none was changed"
	switch {
	case c.Records == 0:
		return "**empty**"
	case c.Without == c.Records:
		return humanize.Count(c.Records, "line") + " without hashes, written by an older version: changes can't be detected"
	case c.Without > 0:
		text = fmt.Sprintf("%s. %s without a hash (from an older version or another program) may have been changed", text, humanize.Count(c.Without, "line"))
	}
	return text
}

func (e Event) details() string {
	var parts []string
	say := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(e.From > 0, "lines %d–%d", e.From, e.To)
	say(e.Hash != "", "hash %s", e.Hash)
	say(e.Kind == KindWrite && e.Before == "", "new")
	say(e.Before != "", "was %s", short(e.Before))
	say(e.Kind == KindWrite && e.After == "", "deleted")
	say(e.After != "", "is %s", short(e.After))
	say(e.Profile == "sandbox", "in the sandbox")
	say(e.Profile == "outside", "run outside the sandbox")
	say(e.Profile == "none", "without a sandbox")
	if e.Exit != nil {
		say(true, "exit %d", *e.Exit)
	}
	say(e.Unlisted, "created files are unknown")
	say(e.Answer != "", "%s by %s", e.Answer, name(e.By))
	say(e.Answer == "" && e.By != "", "by %s", name(e.By))
	say(e.ApprovedHash != "", "approved as %s", short(e.ApprovedHash))
	say(e.Rule != "", "because of %s", code(e.Rule))
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// short returns the first characters of a hash, which name its algorithm.
func short(hash string) string {
	const enough = 24
	return hash[:min(len(hash), enough)]
}

var plainName = lazyregexp.New(`^[\w :./-]*$`)

// name returns a name, as Markdown code if it has more than plain characters.
func name(text string) string {
	if plainName.MatchString(text) && !strings.Contains(text, "\n") {
		return text
	}
	return code(humanize.Line(text, 100))
}

// code returns a whole text as Markdown code on one line. It does not cut the text, because a cut
// could hide the end of a command.
func code(text string) string {
	text = humanize.Line(text, 0)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

package demo

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// The three forms of the line to repair. The first is the faulty line of the project. The second is the
// result of the first attempt, which uses the 10.00 of the README literally although amounts are in
// cents. The third is correct.
const (
	seededLine  = `if [ "$sum" -gt 1000 ]; then`
	literalLine = `if [ "$sum" -ge 10 ]; then`
	correctLine = `if [ "$sum" -ge 1000 ]; then`
)

const (
	till     = "till.sh"
	runTests = "sh test.sh"
)

var (
	jobWords = lazyregexp.New(`(?i)\b(fix|repair|tests? fails?|failing|bug)\b`)
	goOn     = lazyregexp.New(`(?i)^(please )?(continue|go on|carry on|proceed|retry)\b`)
)

// job returns the index of the latest message that asks for the repair.
func (c conversation) job() (start int, ok bool) {
	for i, m := range slices.Backward(c.messages) {
		if m.Role == "user" && jobWords.MatchString(typed(m)) && !isRequest(typed(m)) {
			return i, true
		}
	}
	return 0, false
}

// progress is the state of the repair, as far as the context shows it.
type progress struct {
	// known contains the useful answers since the job began.
	known []fact
	// current contains the useful answers since the latest edit.
	current []fact
}

func progressOf(facts []fact) progress {
	var p progress
	for _, f := range facts {
		if f.failed() || f.gone() {
			continue
		}
		p.known, p.current = append(p.known, f), append(p.current, f)
		if f.is(toolReplace, till) {
			p.current = nil
		}
	}
	return p
}

func (p progress) edits() int {
	n := 0
	for _, f := range p.known {
		if f.is(toolReplace, till) {
			n++
		}
	}
	return n
}

// repaired reports whether the tests passed after the latest edit.
func (c conversation) repaired() bool {
	start, ok := c.job()
	if !ok {
		return false
	}
	run, ran := latest(progressOf(c.since(start)).current, toolShell, runTests)
	return ran && passed(run)
}

func passed(run fact) bool { return strings.Contains(run.answer, "checks passed") }

// repair returns the next step of the job that began with the message at start.
func (c conversation) repair(start int) reply {
	p := progressOf(c.since(start))
	if stop, ok := stopsAt(c.since(c.asked)); ok {
		return stop
	}
	if _, listed := latest(p.known, toolList, "."); !listed && p.edits() == 0 {
		return reply{
			text:  "This job takes a minute. It shows how `agent` asks before each change, and how it prunes outdated content so that the session costs less. I am a script; the tools and files are real.",
			calls: []call{{toolList, map[string]string{"path": "."}}},
		}
	}
	if _, read := latest(p.known, toolRead, till); !read && p.edits() == 0 {
		return reply{
			text:  "Three files matter: what is promised, what is done, and what is checked. I read them together.",
			calls: []call{readFile("README.md"), readFile(till), readFile("test.sh")},
		}
	}
	run, ran := latest(p.current, toolShell, runTests)
	switch {
	case !ran:
		return reply{text: beforeTests(p.edits()), calls: []call{runCommand(runTests)}}
	case passed(run):
		return reply{text: p.summary(run)}
	}
	source, read := latest(p.current, toolRead, till)
	if !read {
		return p.readAgain(run)
	}
	return edit(source, run)
}

// beforeTests returns the reason to run the tests now.
func beforeTests(edits int) string {
	switch edits {
	case 0:
		return "Before I change anything, I want to see the failure myself."
	case 1:
		return "Now the tests have to agree."
	}
	return "Once more the tests."
}

// readAgain returns a reply that reads the file again, after a wrong edit or if an earlier answer was
// pruned.
func (p progress) readAgain(run fact) reply {
	text := "I need `till.sh` as it stands now, and my earlier reading of it is not in the context any more. I read it again."
	if p.edits() > 0 {
		text = fmt.Sprintf("My edit repaired one check and broke others:\n\n```\n%s\n```\n\nEven the smallest order ships free now. The picture I had of `till.sh` is older than my edit, so I read it again, and the prices with it.", failures(run))
	}
	calls := []call{readFile(till)}
	if _, read := latest(p.known, toolRead, "prices.txt"); !read {
		calls = append(calls, readFile("prices.txt"))
	}
	return reply{text: text, calls: calls}
}

// edit returns the reply that makes the next change to the faulty line.
func edit(source, run fact) reply {
	switch {
	case strings.Contains(source.answer, seededLine):
		return reply{
			text:  fmt.Sprintf("There it is:\n\n```\n%s\n```\n\nThe README promises free shipping for orders of 10.00 *or more*, but `till.sh` asks for *more than*. I change the comparison.", failures(run)),
			calls: []call{replaceIn(till, seededLine, literalLine)},
		}
	case strings.Contains(source.answer, literalLine):
		return reply{
			text:  "`prices.txt` shows my mistake: an apple costs 50 there, so amounts are in cents. The README's 10.00 is 1000 in `till.sh`; I had written 10.",
			calls: []call{replaceIn(till, literalLine, correctLine)},
		}
	}
	return reply{text: "The tests fail:\n\n```\n" + failures(run) + "\n```\n\nBut `till.sh` does not look the way my script expects; the line that compares `$sum` was changed. I know only one bug. For a real model, set `OPENAI_API_KEY` or `--base-url` and start again."}
}

// failures returns the lines of a test run with failures.
func failures(run fact) string {
	var lines []string
	for line := range strings.Lines(run.answer) {
		if strings.HasPrefix(line, "FAIL") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 0 {
		return testLine(run.answer)
	}
	return strings.Join(lines, "\n")
}

// stopsAt returns the reply that ends the turn if the script can't continue after the answers to the
// latest reply.
func stopsAt(answers []fact) (reply, bool) {
	for _, f := range answers {
		if f.at != answers[len(answers)-1].at {
			continue
		}
		switch {
		case f.refused():
			return reply{text: fmt.Sprintf("You did not allow `%s`, so I stop here. Nothing changed. Say `continue` and I ask again, or say `help`.", f.name)}, true
		case f.failed() && (f.name != toolRead || f.is(toolRead, till)) && f.name != toolShell:
			return reply{text: fmt.Sprintf("`%s` failed:\n\n> %s\n\nMy script knows no other way. Say `continue` to try again.", f.name, f.problem())}, true
		case f.is(toolShell, runTests) && !f.gone() && !strings.Contains(f.answer, "checks"):
			return reply{text: fmt.Sprintf("The tests did not run to their end:\n\n> %s\n\nSay `continue` to try again.", f.problem())}, true
		}
	}
	return reply{}, false
}

// summary returns the last message of the job.
func (p progress) summary(run fact) string {
	if p.edits() == 0 {
		return "Nothing to repair: " + testLine(run.answer) + ". The bug that I know is not there."
	}
	return strings.Join([]string{
		"Done: " + testLine(run.answer) + ".",
		"",
		"- **The bug:** `till.sh` charged shipping for orders of exactly 10.00.",
		"- **The repair:** `-gt 1000` became `-ge 1000`. My first attempt, `-ge 10`, forgot that amounts are in cents; the tests caught it.",
		"",
		"Each edit made an earlier reading of `till.sh` outdated, and `agent` prunes outdated content when that pays. Try next:",
		"",
		"1. `/density` shows what was pruned and what that saved.",
		"2. `/undo` reverts the repair.",
		"3. Send `read till.sh`, or `help` for what else I can do.",
	}, "\n")
}

// testLine returns the summary line of a test run.
func testLine(answer string) string {
	for line := range strings.Lines(answer) {
		if strings.Contains(line, "checks ") {
			return strings.TrimSpace(line)
		}
	}
	return humanize.FirstLine(answer)
}

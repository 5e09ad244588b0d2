package question

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
)

// askKept returns a question with a permanent permission.
func askKept(often string) *asking {
	a := &asking{now: time.Unix(1_000_000, 0)}
	a.Add(chat.Approval{
		ID: 7, Always: "any `go test …`", ForGood: "any `go test …` (whatever follows)", Often: often, Preview: tools.Preview{Command: "go test ./x"},
	}, a.now, time.Time{})
	a.Arrange(theme, 80, 20)
	return a
}

// D-123: the question has a fourth answer, a capital letter, which differs from the small letter.
func TestPermanentPermission(t *testing.T) {
	t.Parallel()
	for letter, want := range map[string]chat.Decision{
		"y": {Allow: true}, "Y": {Allow: true},
		"a": {Allow: true, Always: true},
		"A": {Allow: true, Keep: true},
	} {
		if reply := askKept("").alone(letter); !reply.Answered || reply.Decision.Allow != want.Allow || reply.Decision.Always != want.Always || reply.Decision.Keep != want.Keep {
			t.Errorf("%s: %+v", letter, reply)
		}
		if reply := askKept("").HandleLine(letter, time.Unix(1_000_010, 0)); !reply.Answered || reply.Decision.Always != want.Always || reply.Decision.Keep != want.Keep {
			t.Errorf("the line %s: %+v", letter, reply)
		}
	}
	// If no permanent permission is offered, the capital letter equals the small one.
	if reply := ask(80, 20, tools.Preview{Command: "go test ./x"}).alone("A"); !reply.Decision.Always || reply.Decision.Keep {
		t.Errorf("without an offer: %+v", reply)
	}
}

// The row of the answer shows the permission and its extent. After three approvals it also shows
// how many calls it would have covered.
func TestPermanentPermissionIsDescribed(t *testing.T) {
	t.Parallel()
	rows, _ := askKept("").View()
	shown := strings.Join(rows, "\n")
	if want := "A    yes, permanently in this project: any `go test …` (whatever follows)"; !strings.Contains(shown, want) {
		t.Errorf("%q is not in\n%s", want, shown)
	}
	if strings.Contains(shown, "so far") {
		t.Errorf("it says how often it came:\n%s", shown)
	}
	a := askKept("asked 3 times so far: go test ./a · go test ./b")
	rows, _ = a.View()
	if shown := strings.Join(strings.Fields(strings.Join(rows, " ")), " "); !strings.Contains(shown, "(whatever follows) · asked 3 times so far: go test ./a · go test ./b") {
		t.Errorf("it does not say how often it came:\n%s", shown)
	}
	if says := a.AnswerHelp(); !strings.Contains(says, "capital A: yes, permanently in this project: any `go test …` (whatever follows)") {
		t.Errorf("spoken: %s", says)
	}
}

// A word that starts with the letter is a message. Pressing the letter twice answers once.
func TestPermanentPermissionByAccident(t *testing.T) {
	t.Parallel()
	a := askKept("")
	a.wait(time.Second)
	for _, letter := range []string{"A", "l", "l"} {
		if reply := a.letter(letter); reply.Answered {
			t.Fatalf("%s answered", letter)
		}
	}
	if !a.IsDrafting() {
		t.Error("the word is no message")
	}
	a = askKept("")
	if reply := a.alone("A"); !reply.Answered {
		t.Fatal("A does not answer")
	}
	if reply := a.letter("A"); reply.Hint == "" || reply.Draft != "" {
		t.Errorf("the second A is %+v", reply)
	}
	a = askKept("")
	if reply := a.letter("A"); reply.Hint != "A ignored: the question had just appeared. Press it again" {
		t.Errorf("an early A is %+v", reply)
	}
}

// If a question hides characters or lacks room, no permanent permission is possible.
func TestHiddenTextAllowsNoPermanentPermission(t *testing.T) {
	t.Parallel()
	a := askKept("")
	a.waiting[0].Preview.Command = "go test \x1b[2J"
	a.show(a.now)
	a.Arrange(theme, 80, 20)
	if a.isChoice(forGood) {
		t.Error("characters are hidden, and it may be allowed for good")
	}
	a = askKept("")
	a.Arrange(theme, 80, 2)
	if a.isChoice(forGood) {
		t.Error("it is cramped, and may be allowed for good")
	}
}

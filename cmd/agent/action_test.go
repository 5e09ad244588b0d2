package main

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/app"
)

var (
	actionInput    = regexp.MustCompile(`(?m)^  ([a-z-]+):\n    description: .*\n    (?:default: "?([^"\n]*)"?|required: true)$`)
	actionVariable = regexp.MustCompile(`(?m)^ +([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$`)
	actionFlag     = regexp.MustCompile(`(--?[a-z-]+) "\$([A-Za-z_]+)"`)
	withMember     = regexp.MustCompile(`(?m)^ {10}([a-z-]+): `)
)

// Every input of the GitHub Action reaches a flag of the program, which accepts its default, and the
// example workflow uses only inputs that exist.
func TestActionInputsAreFlags(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	head, run, found := strings.Cut(string(text), "\noutputs:\n")
	if !found {
		t.Fatal("action.yml has no outputs")
	}
	values := map[string]string{} // by input
	for _, input := range actionInput.FindAllStringSubmatch(head, -1) {
		values[input[1]] = cmp.Or(input[2], "VALUE")
	}
	if declared := strings.Count(head, "    description: "); len(values) != declared || declared == 0 {
		t.Fatalf("%d inputs, of which %d can be read", declared, len(values))
	}
	inputOf := map[string]string{"rule": "allow"} // by variable; the script reads each line of allow into rule
	for _, variable := range actionVariable.FindAllStringSubmatch(run, -1) {
		if _, declared := values[variable[2]]; !declared {
			t.Errorf("the script reads the input %s, which is not declared", variable[2])
		}
		inputOf[variable[1]] = variable[2]
	}
	if inputOf["ALLOW"] != "allow" || !strings.Contains(run, `<<< "$ALLOW"`) || !strings.Contains(run, `"${flags[@]}"`) {
		t.Error("the rules of allow do not reach the program")
	}
	var args, reached []string
	for _, flag := range actionFlag.FindAllStringSubmatch(run, -1) {
		if input := inputOf[flag[2]]; input != "" && flag[1] != "-n" {
			args, reached = append(args, flag[1], values[input]), append(reached, input)
		}
	}
	for input := range values {
		if !slices.Contains(reached, input) {
			t.Errorf("the input %s reaches no flag", input)
		}
	}
	if err := parseExample(app.Registry(), args); err != nil {
		t.Errorf("agent %s: %v", strings.Join(args, " "), err)
	}

	example, err := os.ReadFile("../../examples/github/review.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, with, _ := strings.Cut(string(example), "uses: OWNER/agent@")
	_, with, _ = strings.Cut(with, "with:\n")
	with, _, found = strings.Cut(with, "        env:\n")
	given := withMember.FindAllStringSubmatch(with, -1)
	if !found || len(given) == 0 {
		t.Fatal("the example gives no inputs")
	}
	for _, member := range given {
		if _, declared := values[member[1]]; !declared {
			t.Errorf("the example gives %s, which action.yml does not declare", member[1])
		}
	}
}

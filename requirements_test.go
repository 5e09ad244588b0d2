package agent_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// series is a run of IDs that are numbered from first to last. The format makes an
// ID of a number.
type series struct {
	format      string
	first, last int
}

// proven are the IDs of what the program is to do, each of which some test must
// name: the requirements, the scenarios, the decisions and the rules of the domain.
var proven = []series{
	{"REQ-HD-001.%d", 1, 10}, // strategies
	{"REQ-HD-002.%d", 1, 10}, // orchestration
	{"REQ-HD-003.%d", 1, 6},  // history
	{"REQ-HD-004.%d", 1, 4},  // registration
	{"REQ-HD-005.%d", 1, 11}, // reads superseded by writes
	{"REQ-HD-006.%d", 1, 5},  // duplicate inclusions
	{"REQ-HD-007.%d", 1, 6},  // recency
	{"REQ-HD-008.%d", 1, 6},  // compression at the threshold
	{"REQ-HD-009.%d", 1, 6},  // settings
	{"REQ-HD-013.%d", 1, 7},  // failures

	{"O-%02d", 1, 3},  // nothing to optimise
	{"R-%02d", 1, 27}, // reads and writes
	{"I-%02d", 1, 15}, // inclusions
	{"C-%02d", 1, 10}, // recency
	{"P-%d", 1, 8},    // properties of optimising
	{"A-%02d", 1, 8},  // applying
	{"K-%02d", 1, 12}, // compressing
	{"S-%02d", 1, 12}, // before a request

	{"D-%02d", 1, 33},
	{"D-%02d", 38, 39},

	{"BR-PRUNE-%03d", 1, 6},
	{"BR-DEDUP-%03d", 1, 4},
	{"BR-RECENCY-%03d", 1, 5},
	{"BR-THRESH-%03d", 1, 5},
	{"BR-CONFLICT-%03d", 1, 5},
	{"EC-%03d", 1, 4},   // little or no history
	{"EC-%03d", 10, 16}, // pruning
	{"EC-%03d", 20, 23}, // inclusions
	{"EC-%03d", 30, 32}, // recency
	{"EC-%03d", 40, 42}, // phases that meet
	{"EC-%03d", 50, 53}, // malformed data
	{"ERR-%03d", 1, 3},  // strategies
	{"ERR-%03d", 10, 13},
	{"ERR-%03d", 20, 22},
	{"ERR-%03d", 30, 32},
}

// unbuilt are the IDs of the strategies that ask a model, which are not built yet.
// Whoever builds them moves their lines up.
var unbuilt = []series{
	{"REQ-HD-010.%d", 1, 5}, // prompts
	{"REQ-HD-011.%d", 1, 4}, // todos
	{"REQ-HD-012.%d", 1, 3}, // transcript
	{"D-%02d", 34, 37},
	{"ERR-%03d", 4, 4},
}

var idPattern = regexp.MustCompile(`\b(REQ-HD-\d{3}\.\d+|(BR-[A-Z]+|EC|ERR)-\d{3}|[ORICAKSD]-\d{2}|P-\d)\b`)

func TestEveryRequirementIsNamedByATest(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, "_test.go") || file == "requirements_test.go" {
			return err
		}
		source, err := os.ReadFile(file)
		for _, id := range idPattern.FindAllString(string(source), -1) {
			named[id] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids(proven) {
		if !named[id] {
			t.Errorf("no test names %s", id)
		}
	}
	for _, id := range ids(unbuilt) {
		if named[id] {
			t.Errorf("a test names %s; if it is built, move it to the proven", id)
		}
	}
}

func ids(all []series) []string {
	var ids []string
	for _, s := range all {
		for n := s.first; n <= s.last; n++ {
			ids = append(ids, fmt.Sprintf(s.format, n))
		}
	}
	return ids
}

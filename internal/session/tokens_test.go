package session

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The quick way to read counts says what JSON says.
func TestParseTokensIsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"o200k_base":[1866]}`, `{"o200k_base":[1,2,33]}`, `{"a":[]}`, `{}`, ``, `null`, `{"a":[1],"b":[2,3]}`, `{"a":[1]} `, `{ "a": [1, 2] }`,
		`{"a":[1.5]}`, `{"a":["1"]}`, `{"a\"b":[1]}`, `{"é":[1]}`, `{"a":[-1]}`, `{"a":[1],"a":[2]}`, `[1]`, `{"a":1}`,
	} {
		want := map[string][]int{}
		if text != "" && json.Unmarshal([]byte(text), &want) != nil {
			want = map[string][]int{}
		}
		if diff := cmp.Diff(want, maps.Collect(parseTokens([]byte(text)))); diff != "" && len(want) > 0 {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

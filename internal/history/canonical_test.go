package history

import (
	"encoding/json"
	"reflect"
	"testing"
)

// canonicalSeeds are entries with every kind of block and field.
var canonicalSeeds = []string{
	`{"speaker":"human","blocks":[{"type":"text","text":"a \"b\"\n\u00e9ü"},{"type":"text","text":"x","includedFile":"a.go"}]}`,
	`{"speaker":"ai","blocks":[{"type":"thinking","thought":"t"},{"type":"tool_call","id":"1","name":"f","parameters":{"a": [1,{"b":"}]"}]}}],"metadata":{"model":"m","n":1.50}}`,
	`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":"r","error":"e","exitCode":2},{"type":"tool_response","callId":"1","toolName":"f","result":{"a":1}}]}`,
	`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":null,"exitCode":null}]}`,
	`{"speaker":"human","blocks":[{"type":"media","mimeType":"image/png","data":"AAAA"}]}`,
	`{"speaker":"human","blocks":[],"metadata":{}}`,
	`{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"f","parameters":null}]}`,
}

// TestCanonicalDecoderKnowsItsOwnForm keeps the quick way from rotting: it must
// take what MarshalJSON writes.
func TestCanonicalDecoderKnowsItsOwnForm(t *testing.T) {
	t.Parallel()
	for _, seed := range canonicalSeeds {
		entry := new(Content)
		if err := entry.decodeAny([]byte(seed)); err != nil {
			t.Fatalf("%s: %v", seed, err)
		}
		data, err := entry.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		quick, ok := decodeCanonical(data)
		if !ok || !reflect.DeepEqual(quick, mustDecode(t, data)) {
			t.Errorf("%s: read as %+v, %v", data, quick, ok)
		}
	}
}

func TestOtherFormsAreLeftToTheGeneralDecoder(t *testing.T) {
	t.Parallel()
	for _, other := range []string{
		``, `{}`, `null`,
		`{"speaker":"nobody","blocks":[]}`,
		`{"blocks":[],"speaker":"ai"}`,
		`{"speaker":"ai","blocks":[],"more":1}`,
		`{"speaker":"ai","blocks":[]} x`,
		`{"speaker":"ai","blocks":[{"type":"text","text":"a"},]}`,
		`{"speaker":"ai","blocks":[,{"type":"text","text":"a"}]}`,
		`{"speaker":"ai","blocks":[{"type":"text","text":"a","more":1}]}`,
		"{\"speaker\":\"ai\",\"blocks\":[{\"type\":\"text\",\"text\":\"\xff\"}]}",
		"{\"speaker\":\"ai\",\"blocks\":[{\"type\":\"text\",\"text\":\"a\nb\"}]}",
		`{"speaker":"ai","blocks":[{"type":"text","text":"\x"}]}`,
		`{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"f","parameters":{]}}]}`,
		`{"speaker":"ai","blocks":[{"type":"tool_call","id":"1","name":"f","parameters":}]}`,
		`{"speaker":"tool","blocks":[{"type":"tool_response","callId":"1","toolName":"f","result":"r","exitCode":"2"}]}`,
	} {
		if _, ok := decodeCanonical([]byte(other)); ok {
			t.Errorf("%s was read", other)
		}
	}
}

// FuzzCanonical: what the quick way reads, it reads as the general one does.
func FuzzCanonical(f *testing.F) {
	for _, seed := range canonicalSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if quick, ok := decodeCanonical(data); ok {
			if plain := mustDecode(t, data); !reflect.DeepEqual(quick, plain) {
				t.Fatalf("%s: quick %+v, plain %+v", data, quick, plain)
			}
		}
	})
}

func mustDecode(t *testing.T, data []byte) *Content {
	t.Helper()
	if !json.Valid(data) {
		t.Fatalf("%s is no JSON", data)
	}
	entry := new(Content)
	if err := entry.decodeAny(data); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return entry
}

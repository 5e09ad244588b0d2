package tokens

import "testing"

func TestCalibrationD09(t *testing.T) {
	t.Parallel()
	type request struct{ estimated, reported, cached int }
	tests := map[string]struct {
		observed []request
		want     int // of an estimate of 1001 tokens
	}{
		"nothing observed":            {nil, 1001},
		"reported more":               {[]request{{1000, 1300, 0}}, 1301},
		"reported less":               {[]request{{1000, 700, 0}}, 701},
		"only the latest counts":      {[]request{{1000, 700, 0}, {500, 600, 0}}, 1201},
		"no more than twice":          {[]request{{1000, 9000, 0}}, 2002},
		"no less than half":           {[]request{{1000, 10, 0}}, 501},
		"nothing reported":            {[]request{{1000, 1300, 0}, {1000, 0, 0}}, 1301},
		"nothing estimated":           {[]request{{1000, 1300, 0}, {0, 50, 0}}, 1301},
		"negative numbers are no use": {[]request{{-5, 50, 0}, {5, -50, 0}}, 1001},
		"without what was cached":     {[]request{{1000, 1300, 0}, {1000, 200, 800}}, 1301},
		"more, and partly cached":     {[]request{{1000, 1200, 800}}, 1201},
		"less, and mostly cached":     {[]request{{1000, 900, 0}, {2000, 1300, 1200}}, 651},
		"less, and all cached":        {[]request{{2000, 1400, 1400}}, 701},
		"less, and little cached":     {[]request{{1000, 900, 0}, {2000, 1400, 1200}}, 901},
		"the half that is not cached": {[]request{{1000, 1000, 0}, {2000, 1000, 1000}}, 1001},
		"half of what it was before":  {[]request{{1000, 1300, 0}, {2000, 1300, 1300}}, 1301},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calibration Calibration
			for _, request := range test.observed {
				calibration.Observe("mine", request.estimated, request.reported, request.cached)
			}
			if got := calibration.Scale("mine", 1001); got != test.want {
				t.Errorf("Scale = %d, want %d", got, test.want)
			}
			if got := calibration.Scale("another", 1001); got != 1001 {
				t.Errorf("Scale for a model never asked = %d, want the estimate", got)
			}
		})
	}
}

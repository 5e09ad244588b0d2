package tokens

import "testing"

func TestCalibrationD09(t *testing.T) {
	t.Parallel()
	type request struct{ estimated, reported int }
	tests := map[string]struct {
		observed []request
		want     int // of an estimate of 1001 tokens
	}{
		"nothing observed":            {nil, 1001},
		"reported more":               {[]request{{1000, 1300}}, 1301},
		"reported less":               {[]request{{1000, 700}}, 701},
		"only the latest counts":      {[]request{{1000, 700}, {500, 600}}, 1201},
		"no more than twice":          {[]request{{1000, 9000}}, 2002},
		"no less than half":           {[]request{{1000, 10}}, 501},
		"nothing reported":            {[]request{{1000, 1300}, {1000, 0}}, 1301},
		"nothing estimated":           {[]request{{1000, 1300}, {0, 50}}, 1301},
		"negative numbers are no use": {[]request{{-5, 50}, {5, -50}}, 1001},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calibration Calibration
			for _, request := range test.observed {
				calibration.Observe("mine", request.estimated, request.reported)
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

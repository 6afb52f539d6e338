package audit

// List returns the records that match a filter, in the order of [Reader.Records].
func List(r Reader, f Filter) (list []Stored, err error) {
	for s, err := range r.Records(f) {
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

package audit

// List returns the records that a filter wants, in the order in which [Reader.Records] has
// them.
func List(r Reader, f Filter) (list []Stored, err error) {
	for s, err := range r.Records(f) {
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

package p

func broken( {
	return
}

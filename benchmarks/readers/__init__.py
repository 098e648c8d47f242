"""Programs that each read one list and watch with one informer and print one line of JSON about it."""

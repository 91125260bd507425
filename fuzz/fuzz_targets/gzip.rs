#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| eurekad_fuzz::check("gzip", input));

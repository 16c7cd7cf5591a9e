/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The arithmetic of 4BSD against worked examples that were computed with the kernels'
 * own code: loads, decays, priorities, ceilings, wraps, settling. */
#include "tests/policies/4bsd_machine.h"
#include "tests/sl_test.h"

static void load_average_of_constant_load(void **state)
{
	static const struct {
		uint32_t nrun, sample, want;
	} row[] = {
		{ 1, 1, 164 },	     { 1, 2, 314 },	{ 1, 3, 452 },	   { 1, 4, 579 },
		{ 1, 5, 696 },	     { 1, 6, 804 },	{ 1, 7, 903 },	   { 1, 8, 994 },
		{ 1, 9, 1078 },	     { 1, 10, 1155 },	{ 1, 11, 1226 },   { 1, 12, 1291 },
		{ 8, 1, 1312 },	     { 8, 2, 2518 },	{ 8, 3, 3628 },	   { 8, 4, 4649 },
		{ 8, 5, 5588 },	     { 8, 6, 6452 },	{ 20, 1, 3280 },   { 20, 2, 6297 },
		{ 20, 12, 25911 },   { 20, 24, 35430 }, { 1, 1000, 2036 }, { 8, 1000, 16372 },
		{ 20, 1000, 40948 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		uint32_t ld[3] = { 0 };

		for (uint32_t n = 0; n < row[i].sample; n++)
			bsd_load_sample(ld, row[i].nrun);
		assert_int_equal(ld[0], row[i].want);
	}
}

static void load_average_falls_to_zero(void **state)
{
	static const uint32_t want[] = { 1884, 1733, 1594, 1466, 1348, 1240 };
	uint32_t ld[3] = { 2048, 0, 0 }, samples = 0;

	(void)state;
	while (ld[0] != 0) {
		bsd_load_sample(ld, 0);
		if (samples < SL_ARRAY_LEN(want))
			assert_int_equal(ld[0], want[samples]);
		samples++;
	}
	assert_int_equal(samples, 68);
}

static void load_averages_of_5_and_15_minutes(void **state)
{
	uint32_t ld[3] = { 0 };

	(void)state;
	bsd_load_sample(ld, 1);
	assert_int_equal(ld[1], 34);
	assert_int_equal(ld[2], 12);
	bsd_load_sample(ld, 1);
	assert_int_equal(ld[1], 67);
	assert_int_equal(ld[2], 23);
	memset(ld, 0, sizeof(ld));
	for (int i = 0; i < 12; i++)
		bsd_load_sample(ld, 4);
	assert_int_equal(ld[0], 5179);
	assert_int_equal(ld[1], 1488);
	assert_int_equal(ld[2], 553);
}

/* The sum wraps for 1025 runnable threads and more, the load term alone at 12788. */
static void load_average_wraps(void **state)
{
	static const struct {
		uint32_t nrun, collapse; /* sample at which it falls, 0: never */
	} row[] = { { 1024, 0 }, { 1025, 84 }, { 1113, 31 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		uint32_t ld[3] = { 0 }, fell = 0;

		for (uint32_t n = 1; n <= 2000 && fell == 0; n++) {
			uint32_t old = ld[0];

			bsd_load_sample(ld, row[i].nrun);
			if (ld[0] < old)
				fell = n;
		}
		assert_int_equal(fell, row[i].collapse);
	}
	for (uint32_t nrun = 12787; nrun <= 12788; nrun++) {
		uint32_t ld[3] = { 0 };

		bsd_load_sample(ld, nrun);
		assert_int_equal(ld[0] == nrun * 164, nrun == 12787);
	}
}

static void decay_of_usage(void **state)
{
	static const struct {
		uint32_t ldavg0, of295, of100, of7, of2367;
	} row[] = {
		{ 0, 0, 0, 0, 0 },	    { 1, 0, 0, 0, 2 },		 { 164, 40, 13, 0, 326 },
		{ 1024, 147, 50, 3, 1183 }, { 2048, 196, 66, 4, 1578 },	 { 4096, 236, 80, 5, 1893 },
		{ 8192, 262, 88, 6, 2104 }, { 40960, 287, 97, 6, 2309 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		assert_int_equal(bsd_decay(row[i].ldavg0, 295), row[i].of295);
		assert_int_equal(bsd_decay(row[i].ldavg0, 100), row[i].of100);
		assert_int_equal(bsd_decay(row[i].ldavg0, 7), row[i].of7);
		assert_int_equal(bsd_decay(row[i].ldavg0, 2367), row[i].of2367);
	}
	assert_int_equal(bsd_decay(131072, 18943), 2539); /* wraps at 32 bits */
}

/* Small usages vanish: 7 at load 1. */
static void truncation(void **state)
{
	static const uint32_t want[] = { 4, 2, 1, 0 };
	uint32_t usage = 7;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(want); i++) {
		usage = bsd_decay(2048, usage);
		assert_int_equal(usage, want[i]);
	}
}

/* 443.0 on 8 CPUs, 221.5 on 16, 110.7 on 32, 55.4 on 64, 27.7 on 128. */
static void decay_wraps_at_the_ceiling(void **state)
{
	static const struct {
		uint32_t ncpus, safe, wraps; /* tenths of load */
	} row[] = {
		{ 8, 4429, 4431 }, { 16, 2214, 2216 }, { 32, 1107, 1108 },
		{ 64, 553, 554 },  { 128, 276, 277 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		uint32_t limit = bsd_usage_limit(bsd_usage_weight(true, row[i].ncpus), 4);

		assert_true(bsd_decay(row[i].safe * 2048 / 10, limit) > limit * 9 / 10);
		assert_true(bsd_decay(row[i].wraps * 2048 / 10, limit) < limit / 10);
	}
}

static void usage_ceiling(void **state)
{
	static const struct {
		uint32_t ncpus, ppq4, ppq1;
	} row[] = {
		{ 1, 295, 319 },   { 2, 591, 639 },    { 4, 1183, 1279 },
		{ 8, 2367, 2559 }, { 16, 4735, 5119 }, { 64, 18943, 20479 },
	};

	(void)state;
	assert_int_equal(bsd_usage_weight(false, 1), 8);
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		uint32_t w = bsd_usage_weight(true, row[i].ncpus);

		assert_int_equal(bsd_usage_limit(w, 4), row[i].ppq4);
		assert_int_equal(bsd_usage_limit(w, 1), row[i].ppq1);
	}
}

/* One row per layout: 2005..8.x, 9..13, 14, 15. 0: no value given. */
static const struct bsd_era *const layout[4] = { &bsd_era_7_3, &bsd_era_2017, &bsd_era_14,
						 &bsd_era_15 };

static void user_priorities(void **state)
{
	static const struct {
		uint32_t w, usage;
		int nice;
		uint8_t want[4];
	} row[] = {
		{ 8, 0, 0, { 180, 140, 108, 76 } },	 { 8, 100, 5, { 197, 157, 125, 93 } },
		{ 8, 295, 0, { 216, 176, 144, 0 } },	 { 8, 319, 0, { 0, 0, 0, 115 } },
		{ 8, 295, 20, { 223, 196, 164, 0 } },	 { 8, 319, 20, { 0, 0, 0, 135 } },
		{ 8, 0, -20, { 160, 120, 88, 56 } },	 { 8, 295, -20, { 196, 156, 124, 0 } },
		{ 8, 319, -20, { 0, 0, 0, 95 } },	 { 64, 2000, 0, { 211, 171, 139, 107 } },
		{ 64, 2367, 0, { 216, 176, 144, 112 } }, { 64, 2559, 0, { 0, 0, 0, 115 } },
		{ 8, 1023, 0, { 0, 0, 0, 203 } },	 { 8, 1023, 20, { 0, 0, 0, 223 } },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		for (int l = 0; l < 4; l++)
			if (row[i].want[l] != 0)
				assert_int_equal(bsd_user_pri(layout[l], row[i].w, row[i].usage,
							      row[i].nice),
						 row[i].want[l]);
}

static void catching_up_after_a_long_sleep(void **state)
{
	static const uint32_t seconds[] = { 2, 3, 4, 5, 6, 8, 10, 12 };
	static const struct {
		uint32_t ldavg0, want[8];
	} row[] = {
		{ 2048, { 295, 196, 130, 86, 57, 25, 10, 4 } },
		{ 8192, { 295, 262, 232, 206, 183, 144, 113, 88 } },
		{ 40960, { 295, 287, 280, 273, 266, 252, 239, 227 } },
		{ 0, { 0, 0, 0, 0, 0, 0, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		for (size_t n = 0; n < SL_ARRAY_LEN(seconds); n++)
			assert_int_equal(bsd_catchup(row[i].ldavg0, 295, seconds[n]),
					 row[i].want[n]);
	assert_int_equal(bsd_catchup(8192, 2367, 30), 83);
}

static void percent_cpu(void **state)
{
	static const uint32_t full[] = { 100, 195, 285, 371, 452, 529 };
	static const uint32_t half[] = { 49, 95, 139, 181, 221, 259 };
	static const uint32_t none[] = { 1902, 1809, 1720, 1636, 1556, 1480 };
	uint32_t a = 0, b = 0, c = 2000;

	(void)state;
	for (int i = 0; i < 6; i++) {
		a = bsd_pct_pass(a, 133, 133);
		b = bsd_pct_pass(b, 66, 133);
		c = bsd_pct_pass(c, 0, 133);
		assert_int_equal(a, full[i]);
		assert_int_equal(b, half[i]);
		assert_int_equal(c, none[i]);
	}
	for (int i = 0; i < 500; i++)
		a = bsd_pct_pass(a, 133, 133);
	assert_int_equal(a, 2028);
	assert_int_equal(bsd_pct_pass(0, 100, 100), 100);
}

static void quantum_and_clock_numbers(void **state)
{
	(void)state;
	assert_int_equal(bsd_slice_to_us(127, 12), 94488);
	assert_int_equal(bsd_slice_from_us(127, 50000), 6);
	assert_int_equal(bsd_slice_from_us(127, 200000), 25);
	assert_int_equal(bsd_slice_from_us(127, 55000), 7); /* rounds */
	assert_int_equal(bsd_slice_from_us(127, 1), 1);
	assert_int_equal(bsd_slice_ticks(1000, 127, 12), 94);
	assert_int_equal(bsd_slice_ticks(1000, 127, 24), 189);
	assert_int_equal(bsd_apic_stathz(100), 133);
	assert_int_equal(bsd_apic_stathz(250), 142);
	assert_int_equal(bsd_apic_stathz(1000), 133);
	assert_int_equal(bsd_apic_stathz(2000), 133);
}

/* Samples every 5 s with a constant load, then a peak and its decay each second. */
static void settling(void **state)
{
	static const struct {
		uint32_t ncpus, nrun, ticks, ppq, t, ldavg0, peak, usage, level;
	} row[] = {
		{ 8, 20, 53, 4, 4, 0, 53, 0, 0 },
		{ 8, 20, 53, 4, 5, 3280, 53, 40, 0 },
		{ 8, 20, 53, 4, 10, 6297, 177, 152, 2 },
		{ 8, 20, 53, 4, 15, 9072, 282, 253, 3 },
		{ 8, 20, 53, 4, 20, 11625, 379, 348, 5 },
		{ 8, 20, 53, 4, 30, 16134, 560, 526, 8 },
		{ 8, 20, 53, 4, 60, 25911, 1014, 975, 15 },
		{ 8, 20, 53, 4, 120, 35430, 1609, 1563, 24 },
		{ 8, 20, 53, 4, 180, 38925, 1913, 1863, 29 },
		{ 8, 20, 53, 4, 300, 40680, 2114, 2062, 32 },
		{ 1, 2, 64, 4, 4, 0, 64, 0, 0 },
		{ 1, 2, 64, 4, 5, 328, 64, 15, 1 },
		{ 1, 2, 64, 4, 10, 629, 84, 31, 3 },
		{ 1, 2, 64, 4, 15, 906, 102, 47, 5 },
		{ 1, 2, 64, 4, 20, 1161, 119, 63, 7 },
		{ 1, 2, 64, 4, 30, 1612, 149, 91, 11 },
		{ 1, 2, 64, 4, 60, 2588, 214, 153, 19 },
		{ 1, 2, 64, 4, 120, 3539, 278, 215, 26 },
		{ 1, 2, 64, 4, 180, 3889, 295, 233, 29 },
		{ 1, 2, 64, 4, 300, 4063, 295, 235, 29 },
		{ 1, 2, 64, 1, 180, 3889, 302, 239, 29 },
		{ 1, 2, 64, 1, 300, 4063, 313, 249, 31 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		uint32_t w = bsd_usage_weight(true, row[i].ncpus);
		uint32_t limit = bsd_usage_limit(w, row[i].ppq), ld[3] = { 0 }, usage = 0, peak = 0;

		for (uint32_t t = 1; t <= row[i].t; t++) {
			if (t % 5 == 0)
				bsd_load_sample(ld, row[i].nrun);
			peak = usage + row[i].ticks < limit ? usage + row[i].ticks : limit;
			usage = bsd_decay(ld[0], peak);
		}
		assert_int_equal(ld[0], row[i].ldavg0);
		assert_int_equal(peak, row[i].peak);
		assert_int_equal(usage, row[i].usage);
		assert_int_equal(usage / w, row[i].level);
	}
}

static void load_period_is_4_to_6_seconds(void **state)
{
	struct fake *f = fake_new("7.3", 0);

	(void)state;
	assert_int_equal(bsd_load_period_ticks(&f->pol, 0), 4 * SL_NS_PER_S);
	assert_int_equal(bsd_load_period_ticks(&f->pol, UINT64_MAX), 6 * SL_NS_PER_S);
	assert_int_equal(bsd_load_period_us(&f->pol, 0), 4 * SL_NS_PER_S);
	assert_int_equal(bsd_load_period_us(&f->pol, UINT64_MAX), 6 * SL_NS_PER_S);
	assert_int_equal(bsd_load_period_ticks(&f->pol, UINT64_MAX / 2) % SL_NS_PER_MS, 0);
	fake_free(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_average_of_constant_load),
		cmocka_unit_test(load_average_falls_to_zero),
		cmocka_unit_test(load_averages_of_5_and_15_minutes),
		cmocka_unit_test(load_average_wraps),
		cmocka_unit_test(decay_of_usage),
		cmocka_unit_test(truncation),
		cmocka_unit_test(decay_wraps_at_the_ceiling),
		cmocka_unit_test(usage_ceiling),
		cmocka_unit_test(user_priorities),
		cmocka_unit_test(catching_up_after_a_long_sleep),
		cmocka_unit_test(percent_cpu),
		cmocka_unit_test(quantum_and_clock_numbers),
		cmocka_unit_test(settling),
		cmocka_unit_test(load_period_is_4_to_6_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

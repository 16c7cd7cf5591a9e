/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Limits of ULE that whole runs seldom reach. */
#include "tests/policies/test_ule_fake.h"

/* Use of the whole window is one level too many when the number of levels divides the
 * window: it is clipped. */
static void full_use_is_clipped_to_the_last_level(void **state)
{
	static const struct {
		const char *era;
		int32_t window, best, levels;
	} row[] = {
		{ "10.4", 1024, 152, 32 },
		{ "2017", 1024, 152, 32 },
		{ "13", 10240, 152, 32 },
		{ "14", 1008, 136, 48 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		const struct ule_era *era = fake_era(row[i].era)->data;
		struct ule u = { .layout = *era->layout, .hz = 1000 };
		struct ule_thread ts = { .ltick = row[i].window };

		ts.ticks = row[i].window << 10;
		assert_int_equal(era->formula->batch(&u, &ts, 0),
				 row[i].best + 20 + row[i].levels - 1);
		/* One level less than all of it is not clipped. */
		ts.ticks = (row[i].window / row[i].levels * (row[i].levels - 2)) << 10;
		assert_int_equal(era->formula->batch(&u, &ts, 0),
				 row[i].best + 20 + row[i].levels - 2);
	}
}

/* While an IPI is on its way no other is sent, however urgent the next thread is. */
static void one_preempt_ipi_at_a_time(void **state)
{
	static const char *const eras[] = { "10.4", "2017", "12", "13", "14", "15" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(eras); i++) {
		struct fake f;
		struct sl_thread *td;

		fake_boot(&f, eras[i], FAKE_FLAT, 1, 2, 1);
		fake_run(&f, fake_thread(&f, 0, 1, 200));
		td = fake_thread(&f, 1, 1, 10);
		f.q[1].lowpri = 10;
		f.ule.era->notify->tell(&f.pol, 1, td, 200);
		assert_int_equal(f.ipi[1], SL_IPI_PREEMPT);
		assert_true(f.q[1].ipipending);
		f.ipi[1] = 0;
		td = fake_thread(&f, 2, 1, 5);
		f.q[1].lowpri = 5;
		f.ule.era->notify->tell(&f.pol, 1, td, 200);
		assert_int_equal(f.ipi[1], 0);
		fake_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_use_is_clipped_to_the_last_level),
		cmocka_unit_test(one_preempt_ipi_at_a_time),
	};

	return cmocka_run_group_tests_name("ule_limits", tests, NULL, NULL);
}

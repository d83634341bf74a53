/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: the learning rate of each step. vn_optim_schedule gives one to an optimizer. */
#include <stdio.h>
#include <vinea/vinea.h>

static double halved_twice(int64_t step, void *user)
{
    (void)user;
    return step < 50 ? .1 : step < 75 ? .05 : .025;
}

int main(void)
{
    const vn_schedule all[] = {vn_step_decay(.1, .5, 25), vn_cosine(.1, 0, 100), vn_warm_up(vn_cosine(.1, 0, 90), 10),
                               vn_schedule_of(halved_twice, NULL)};
    for (int64_t step = 0; step <= 100; step += 20) {
        printf("%3lld", (long long)step);
        for (int k = 0; k < 4; k++) printf("  %.4f", vn_schedule_at(&all[k], step));
        printf("\n");
    }
    vn_optim *sgd = vn_sgd(.1);
    vn_optim_schedule(sgd, all[2]);
    printf("first rate %g\n", vn_optim_lr(sgd));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
  0  0.1000  0.1000  0.0091  0.1000
 20  0.1000  0.0905  0.0970  0.1000
 40  0.0500  0.0655  0.0750  0.1000
 60  0.0250  0.0345  0.0413  0.0500
 80  0.0125  0.0095  0.0117  0.0250
100  0.0063  0.0000  0.0000  0.0250
first rate 0.00909091
*/

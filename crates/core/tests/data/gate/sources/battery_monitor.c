/* Battery monitor of the weather buoy.
 * Runs on the main loop, once every 10 seconds.
 * History: v1 sampled every 2 seconds and drained the cell (see report 17).
 */
#include <stdint.h>
#include <stdbool.h>

#define CELL_COUNT        4
#define FULL_MV        4200   /* per cell */
#define LOW_MV         3500   /* radio drops to one report an hour */
#define CRITICAL_MV    3250   /* radio off, logging only */
#define SHUTDOWN_MV    3000   /* everything off but the clock */
#define HYSTERESIS_MV    80
#define MAX_CHARGE_C     45   /* degrees Celsius */
#define MIN_CHARGE_C      0

enum state { NORMAL, LOW, CRITICAL, SHUTDOWN };

static enum state current = NORMAL;
static uint32_t brownouts = 0;

extern uint16_t adc_read_mv(int cell);
extern int8_t   temp_read_c(void);
extern void     radio_set_interval(uint16_t minutes);
extern void     radio_off(void);
extern void     charger_enable(bool on);

/* The weakest cell decides, not the average. */
static uint16_t weakest_mv(void)
{
    uint16_t min = UINT16_MAX;
    for (int i = 0; i < CELL_COUNT; i++) {
        uint16_t mv = adc_read_mv(i);
        if (mv < min)
            min = mv;
    }
    return min;
}

/* Charging below freezing damages the cells; above 45 degrees it is unsafe. */
static void update_charger(void)
{
    int8_t t = temp_read_c();
    charger_enable(t > MIN_CHARGE_C && t < MAX_CHARGE_C);
}

void battery_tick(void)
{
    uint16_t mv = weakest_mv();
    update_charger();

    if (mv < SHUTDOWN_MV) {
        current = SHUTDOWN;
        brownouts++;
        radio_off();
    } else if (mv < CRITICAL_MV) {
        current = CRITICAL;
        radio_off();
    } else if (mv < LOW_MV) {
        current = LOW;
        radio_set_interval(60);
    } else if (mv > LOW_MV + HYSTERESIS_MV) {
        current = NORMAL;
        radio_set_interval(10);
    }
}

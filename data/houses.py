#!/usr/bin/env python3
"""Writes data/houses.csv: invented houses with their prices, in a table as spreadsheets export it: semicolons, decimal commas, quotes, an id, a date, texts and
blanks. The price follows from area, district, year and garden, with noise of 12,000."""
import random

DISTRICTS = {"Centre": 5200, "Harbour": 4300, "North": 3600, '"The ""Lake"""': 6100}  # price of a square metre

numbers = random.Random(7)
print("id;date;district;rooms;area;year;garden;price")
for house in range(1, 501):
    district = numbers.choice(list(DISTRICTS))
    rooms = numbers.randint(1, 7)
    area = round(max(15, 18 * rooms + numbers.gauss(12, 8)), 1)
    year = numbers.randint(1900, 2023)
    garden = numbers.random() < 0.4
    price = area * DISTRICTS[district] + 25000 * garden + 300 * (year - 1900) + numbers.gauss(0, 12000)
    date = f"{numbers.randint(1, 28):02d}.{numbers.randint(1, 12):02d}.{numbers.randint(2019, 2024)}"
    built = "" if numbers.random() < 0.04 else year
    print(house, date, district, rooms, f"{area:.1f}".replace(".", ","), built, "yes" if garden else "no", f"{round(price, -3):.0f}", sep=";")

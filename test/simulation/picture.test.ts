import { expect, it } from 'vitest'
import { createHour, type Hour } from './history.ts'
import { drawPicture } from './picture.ts'

/** Returns the heights of the bars below a title, one for each hour. */
const readBars = (picture: string, title: string): string[] => {
  const [row = ''] = picture.split(`>${title}<`)[1]?.split('<line') ?? []
  return Array.from(row.matchAll(/<rect [^>]*height="([\d.]+)"/g), ([, height = '']) => height)
}

it('the picture has a bar for each hour, as high as what happened in it', () => {
  const hours: Hour[] = [
    { ...createHour(0), requests: 100, limited: 3, commands: 1 },
    { ...createHour(1), requests: 50, faults: 7 },
    { ...createHour(2), faults: 14 },
  ]

  const picture = drawPicture('Seed 7', hours)

  expect(readBars(picture, 'Requests')).toEqual(['70.0', '35.0', '0.0'])
  expect(readBars(picture, 'Responses 429')).toEqual(['70.0', '0.0', '0.0'])
  expect(readBars(picture, 'Faults')).toEqual(['0.0', '35.0', '70.0'])
  expect(readBars(picture, 'Commands of operators')).toEqual(['70.0', '0.0', '0.0'])
  expect(picture).toContain('>Seed 7<')
})

it('a bar of a long picture is the sum of several hours', () => {
  const hours: Hour[] = Array.from({ length: 480 }, (_, hour) => ({ ...createHour(hour), requests: hour < 2 ? 5 : 1 }))

  const picture = drawPicture('Seed 7', hours)

  const bars = readBars(picture, 'Requests')
  expect(bars).toHaveLength(240)
  expect(bars.slice(0, 2)).toEqual(['70.0', '14.0'])
  expect(picture).toContain('0 to 480 hours. Each bar is 2 hours.')
})

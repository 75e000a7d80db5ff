import { expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { readSeedCommand } from '../../../../../infra/operations/seed/seed-command.ts'

const read = (line: string) => readSeedCommand(line.split(' '))

it('the seed command names a data folder, a number of pets, and how the result is printed', () => {
  const target = { environment: 'local', data: 'elsewhere' }
  expect(read('--env local --count 500 --data elsewhere --json')).toEqual({ target, count: 500, json: true })
})

it('the seed command takes production only when that is confirmed by name', () => {
  const line = '--env production --count 10000000'
  expect(read(`${line} --confirm production`)).toMatchObject({ target: { environment: 'production' } })
  expect(() => read(`${line} --confirm staging`)).toThrow('--confirm staging')
  expect(() => read('--env staging --count 5 --confirm production')).toThrow('--confirm production')
})

it.each([
  ['--env local', '--count'],
  ['--env local --count 0', '--count'],
  ['--env local --count 2.5', '--count'],
  ['--env local --count 10000001', '--count'],
  ['--env local --count 5 --remove', '--remove'],
])('the seed command refuses "%s" and names %s', (line, named) => {
  expect(() => read(line)).toThrow(UserError)
  expect(() => read(line)).toThrow(named)
})

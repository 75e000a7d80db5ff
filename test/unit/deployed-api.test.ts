import { expect, it } from 'vitest'
import { readBaseUrl } from '../e2e/setup/deployed-api.ts'

it.each([
  ['https://pets.example.com/v1/', 'https://pets.example.com/v1'],
  ['http://127.1:3000/v1', 'http://127.0.0.1:3000/v1'],
  ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
  ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
])('The tests send an API key to %s', (text, url) => {
  expect(readBaseUrl(text)).toBe(url)
})

const others = ['http://pets.example.com/v1', 'http://127.0.0.1.example.com/v1', 'http://127.0.0.1@pets.example.com/v1']

it.each([...others, 'http://10.0.0.1/v1', 'pets.example.com', ''])('The tests send no API key to %j', (text) => {
  expect(() => readBaseUrl(text)).toThrow('must be a base URL')
})

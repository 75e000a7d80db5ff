import { expect, it } from 'vitest'
import { readBaseUrl } from '../e2e/setup/deployed-api.ts'

it.each([
  { text: 'https://pets.example.com/v1/', baseUrl: 'https://pets.example.com/v1' },
  { text: 'http://127.1:3000/v1', baseUrl: 'http://127.0.0.1:3000/v1' },
  { text: 'http://localhost:3000/v1', baseUrl: 'http://localhost:3000/v1' },
  { text: 'http://[::1]:3000/v1', baseUrl: 'http://[::1]:3000/v1' },
])('PET_API_URL may be $text', ({ text, baseUrl }) => {
  expect(readBaseUrl(text)).toBe(baseUrl)
})

// The end-to-end tests send an API key to this URL, so it uses HTTPS or stays on this machine.
it.each([
  'http://pets.example.com/v1',
  'http://127.0.0.1.example.com/v1',
  'http://127.0.0.1@pets.example.com/v1',
  'http://10.0.0.1/v1',
  'pets.example.com',
  '',
])('PET_API_URL may not be %j', (text) => {
  expect(() => readBaseUrl(text)).toThrow('must be a base URL')
})

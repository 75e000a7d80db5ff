import { describe, expect, it } from 'vitest'
import { readBaseUrl } from '../../../../infra/command-line/base-url.ts'

describe('the base URL to which a command sends an API key', () => {
  it.each([
    ['https://pets.example.com/v1/', 'https://pets.example.com/v1'],
    ['http://127.0.0.1:3000/v1', 'http://127.0.0.1:3000/v1'],
    ['http://127.1:3000/v1', 'http://127.0.0.1:3000/v1'],
    ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
    ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
  ])('may be %s', (text, url) => {
    expect(readBaseUrl(text)).toBe(url)
  })

  it.each([
    'http://pets.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://localhost.example.com/v1',
    'http://127.0.0.1@pets.example.com/v1',
    'http://10.0.0.1/v1',
    'HTTP://pets.example.com/v1',
  ])('must be https: %s', (text) => {
    expect(() => readBaseUrl(text)).toThrow('--url must begin with https://')
    expect(() => readBaseUrl(text, 'PET_API_URL')).toThrow('PET_API_URL must begin with https://')
  })

  it.each(['pets.example.com', 'file:///v1', ''])('is no other text: %s', (text) => {
    expect(() => readBaseUrl(text)).toThrow('such as https://api.example.com/v1')
  })
})

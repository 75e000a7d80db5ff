/* Run it: `node follow-new-pets.ts`, with Node.js 22.18 or later. */
import { PetAdoptionClient } from './pet-adoption-client.ts'

const client = new PetAdoptionClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: 'pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv',
})

for await (const pet of client.followPets({ intervalSeconds: 120 })) console.log('New:', pet.id, pet.name)

/* Run it: `node follow-new-animals.ts`, with Node.js 22.18 or later. */
import { PetAdoptionClient } from './pet-adoption-client.ts'

const client = new PetAdoptionClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: 'pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv',
})

// A poll every 120 seconds is 720 requests a day. The first two polls read the whole list, 100 animals a
// request: from 14,000 animals on, the 1,000 requests a day of the plan Free are used up, and following
// goes on the next day.
for await (const pet of client.followPets({ intervalSeconds: 120 })) console.log('New:', pet.id, pet.name)

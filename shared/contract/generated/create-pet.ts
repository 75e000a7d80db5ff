// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
// @ts-nocheck

const validate: import("../../http/operation-contract.ts").OperationContract['validate'] = validate0;
const schema0 = {"type":"object","required":["path","query","headers","body"],"properties":{"path":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{"Idempotency-Key":{"type":"string","wellFormed":true,"minLength":1,"maxLength":255,"pattern":"^[ -~]+$"}}},"body":{"type":"object","additionalProperties":false,"required":["name","categoryId"],"properties":{"name":{"type":"string","wellFormed":true,"minLength":1,"maxLength":255,"pattern":"^[\\s\\S]*\\S[\\s\\S]*$"},"categoryId":{"integer":{"minimum":"-9223372036854775808","maximum":"9223372036854775807"}},"status":{"type":"string","enum":["available","pending","sold"]}}}}};
import func0Module from "ajv/dist/runtime/ucs2length.js";const func0 = func0Module.default;
const pattern0 = new RegExp("^[ -~]+$", "u");
const pattern1 = new RegExp("^[\\s\\S]*\\S[\\s\\S]*$", "u");

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate0.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))) || ((data.body === undefined) && (missing0 = "body"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
for(const key0 in data0){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data1 = data.query;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data2 = data.headers;
const _errs7 = errors;
if(errors === _errs7){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
const _errs9 = errors;
for(const key2 in data2){
if(!(key2 === "Idempotency-Key")){
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data2["Idempotency-Key"] !== undefined){
let data3 = data2["Idempotency-Key"];
const _errs10 = errors;
if(errors === _errs10){
if(typeof data3 === "string"){
if(!data3.isWellFormed()){
validate0.errors = [{instancePath:instancePath+"/headers/Idempotency-Key",schemaPath:"#/properties/headers/properties/Idempotency-Key/wellFormed",keyword:"wellFormed",params:{}}];
return false;
}
else {
if(func0(data3) > 255){
validate0.errors = [{instancePath:instancePath+"/headers/Idempotency-Key",schemaPath:"#/properties/headers/properties/Idempotency-Key/maxLength",keyword:"maxLength",params:{limit: 255}}];
return false;
}
else {
if(func0(data3) < 1){
validate0.errors = [{instancePath:instancePath+"/headers/Idempotency-Key",schemaPath:"#/properties/headers/properties/Idempotency-Key/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!pattern0.test(data3)){
validate0.errors = [{instancePath:instancePath+"/headers/Idempotency-Key",schemaPath:"#/properties/headers/properties/Idempotency-Key/pattern",keyword:"pattern",params:{pattern: "^[ -~]+$"}}];
return false;
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/headers/Idempotency-Key",schemaPath:"#/properties/headers/properties/Idempotency-Key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.body !== undefined){
let data4 = data.body;
const _errs12 = errors;
if(errors === _errs12){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
let missing1;
if(((data4.name === undefined) && (missing1 = "name")) || ((data4.categoryId === undefined) && (missing1 = "categoryId"))){
validate0.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs14 = errors;
for(const key3 in data4){
if(!(((key3 === "name") || (key3 === "categoryId")) || (key3 === "status"))){
validate0.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}}];
return false;
break;
}
}
if(_errs14 === errors){
if(data4.name !== undefined){
let data5 = data4.name;
const _errs15 = errors;
if(errors === _errs15){
if(typeof data5 === "string"){
if(!data5.isWellFormed()){
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/wellFormed",keyword:"wellFormed",params:{}}];
return false;
}
else {
if(func0(data5) > 255){
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/maxLength",keyword:"maxLength",params:{limit: 255}}];
return false;
}
else {
if(func0(data5) < 1){
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!pattern1.test(data5)){
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/pattern",keyword:"pattern",params:{pattern: "^[\\s\\S]*\\S[\\s\\S]*$"}}];
return false;
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.categoryId !== undefined){
let data6 = data4.categoryId;
const _errs17 = errors;
if(!(typeof data6 === "bigint" && data6 >= -9223372036854775808n && data6 <= 9223372036854775807n)){
validate0.errors = [{instancePath:instancePath+"/body/categoryId",schemaPath:"#/properties/body/properties/categoryId/integer",keyword:"integer",params:{}}];
return false;
}
var valid2 = _errs17 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.status !== undefined){
let data7 = data4.status;
const _errs18 = errors;
if(typeof data7 !== "string"){
validate0.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/properties/body/properties/status/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data7 === "available") || (data7 === "pending")) || (data7 === "sold"))){
validate0.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/properties/body/properties/status/enum",keyword:"enum",params:{allowedValues: schema0.properties.body.properties.status.enum}}];
return false;
}
var valid2 = _errs18 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate0.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate0.errors = vErrors;
return errors === 0;
}
validate0.evaluated = {"props":{"path":true,"query":true,"headers":true,"body":true},"dynamicProps":false,"dynamicItems":false};

export const createPet = {
  ...({
  "operationId": "createPet",
  "method": "POST",
  "takesBody": true,
  "kinds": {
    "path": {},
    "query": {},
    "headers": {
      "Idempotency-Key": "text"
    },
    "body": {
      "name": "text",
      "categoryId": "integer",
      "status": "text"
    }
  },
  "rules": {
    "/headers/Idempotency-Key": "a string of 1 to 255 characters, all of them printable ASCII",
    "/body": "a JSON object",
    "/body/name": "a string of 1 to 255 characters, not only spaces",
    "/body/categoryId": "an integer from -9223372036854775808 to 9223372036854775807",
    "/body/status": "one of available, pending, sold"
  },
  "deprecation": null
} as const),
  defaults: {
    query: {},
    headers: {},
  } as const,
  validate,
}

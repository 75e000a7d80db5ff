// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
"use strict";
module.exports = validate0;
module.exports.default = validate0;
const schema0 = {"required":["path","query","headers","body"],"properties":{"path":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{"Idempotency-Key":{"type":"string","wellFormed":true,"minLength":1,"maxLength":255,"pattern":"^[ -~]+$"}}},"body":{"type":"object","additionalProperties":false,"required":["name","categoryId"],"properties":{"name":{"type":"string","wellFormed":true,"minLength":1,"maxLength":255,"pattern":"^[^\\x00�]*[^\\s\\x00�][^\\x00�]*$"},"categoryId":{"integer":{"minimum":"-9223372036854775808","maximum":"9223372036854775807"}},"status":{"type":"string","enum":["available","pending","sold"]}}}}};
const func0 = require("ajv/dist/runtime/ucs2length").default;
const pattern0 = new RegExp("^[ -~]+$", "u");
const pattern1 = new RegExp("^[^\\x00�]*[^\\s\\x00�][^\\x00�]*$", "u");
const obj0 = BigInt("-9223372036854775808");
const obj1 = BigInt("9223372036854775807");

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))) || ((data.body === undefined) && (missing0 = "body"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs0 = errors;
if(errors === _errs0){
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
var valid0 = _errs0 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data1 = data.query;
const _errs3 = errors;
if(errors === _errs3){
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
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data2 = data.headers;
const _errs6 = errors;
if(errors === _errs6){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
const _errs8 = errors;
for(const key2 in data2){
if(!(key2 === "Idempotency-Key")){
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data2["Idempotency-Key"] !== undefined){
let data3 = data2["Idempotency-Key"];
const _errs9 = errors;
if(errors === _errs9){
if(typeof data3 === "string"){
if(!(data3.isWellFormed())){
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
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.body !== undefined){
let data4 = data.body;
const _errs11 = errors;
if(errors === _errs11){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
let missing1;
if(((data4.name === undefined) && (missing1 = "name")) || ((data4.categoryId === undefined) && (missing1 = "categoryId"))){
validate0.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs13 = errors;
for(const key3 in data4){
if(!(((key3 === "name") || (key3 === "categoryId")) || (key3 === "status"))){
validate0.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}}];
return false;
break;
}
}
if(_errs13 === errors){
if(data4.name !== undefined){
let data5 = data4.name;
const _errs14 = errors;
if(errors === _errs14){
if(typeof data5 === "string"){
if(!(data5.isWellFormed())){
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
validate0.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/properties/body/properties/name/pattern",keyword:"pattern",params:{pattern: "^[^\\x00�]*[^\\s\\x00�][^\\x00�]*$"}}];
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
var valid2 = _errs14 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.categoryId !== undefined){
let data6 = data4.categoryId;
const _errs16 = errors;
if(!(typeof data6 === "bigint" && data6 >= obj0 && data6 <= obj1)){
validate0.errors = [{instancePath:instancePath+"/body/categoryId",schemaPath:"#/properties/body/properties/categoryId/integer",keyword:"integer",params:{}}];
return false;
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.status !== undefined){
let data7 = data4.status;
const _errs17 = errors;
if(typeof data7 !== "string"){
validate0.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/properties/body/properties/status/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data7 === "available") || (data7 === "pending")) || (data7 === "sold"))){
validate0.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/properties/body/properties/status/enum",keyword:"enum",params:{allowedValues: schema0.properties.body.properties.status.enum}}];
return false;
}
var valid2 = _errs17 === errors;
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
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
validate0.errors = vErrors;
return errors === 0;
}
